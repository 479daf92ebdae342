enum CryptographyTestsPlaceholder {}
