enum CryptographyPlaceholder {}
