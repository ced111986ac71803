"""What all figures are drawn with: colours and dashes, ink, axes, legends, the sheet."""
