"""The part of the dashboard that draws privacy_loss."""
