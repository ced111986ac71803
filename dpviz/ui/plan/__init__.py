"""The workbench: head, table, drawer and the sections beside them; its panels and pictures are the folders in it."""
