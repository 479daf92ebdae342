#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

/// The macro is too complicated to be imported.
static inline int copenssl_public_key(void) { return EVP_PKEY_PUBLIC_KEY; }

/// Weak: a reference from here links no zstd, but finds what libcrypto.a has linked.
extern const char *ZSTD_versionString(void) __attribute__((weak));

/// The version of zstd, which libcrypto of some systems uses; NULL if zstd is not linked.
static inline const char *copenssl_zstd_version(void) { return ZSTD_versionString ? ZSTD_versionString() : 0; }
