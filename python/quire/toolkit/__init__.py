"""Operations on whole files of any format: copy, compare, checksum, histogram, recover, plot."""
