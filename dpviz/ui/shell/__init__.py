"""What every page stands in: navigation, the one document, sidebar, table, cached answers, sharing, sentences."""
