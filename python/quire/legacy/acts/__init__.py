"""What old programs do with the pages of a file: functions from pages to pages."""
