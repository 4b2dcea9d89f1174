"""The borders to foreign libraries, one file each. A library is imported only by the call that needs it."""
