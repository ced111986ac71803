"""The one document that a visitor works on: held by the session, in the address, in the table, changed by buttons."""
