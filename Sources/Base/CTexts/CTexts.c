#include "CTexts.h"
#include <string.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

// Arrays of bytes, and no table of pointers to them: nothing has to be relocated or copied at the start.
static const char apache[] = {
#embed "licenses/Apache-2.0.txt" suffix(, 0)
};
static const char blessing[] = {
#embed "licenses/blessing.txt" suffix(, 0)
};
static const char bsd[] = {
#embed "licenses/BSD-3-Clause.txt" suffix(, 0)
};
static const char gcc_exception[] = {
#embed "licenses/GCC-exception-3.1.txt" suffix(, 0)
};
static const char gpl[] = {
#embed "licenses/GPL-3.0-or-later.txt" suffix(, 0)
};
static const char lgpl[] = {
#embed "licenses/LGPL-2.1-or-later.txt" suffix(, 0)
};
static const char llvm_exception[] = {
#embed "licenses/LLVM-exception.txt" suffix(, 0)
};
static const char mit[] = {
#embed "licenses/MIT.txt" suffix(, 0)
};
static const char swift_exception[] = {
#embed "licenses/Swift-exception.txt" suffix(, 0)
};
static const char zlib[] = {
#embed "licenses/Zlib.txt" suffix(, 0)
};
static const char glibc_notice[] = {
#embed "notices/glibc.txt" suffix(, 0)
};
static const char swift_nio_notice[] = {
#embed "notices/swift-nio.txt" suffix(, 0)
};
static const char bash_completion[] = {
#embed "completions/mambridge.bash" suffix(, 0)
};
static const char fish_completion[] = {
#embed "completions/mambridge.fish" suffix(, 0)
};
static const char zsh_completion[] = {
#embed "completions/mambridge.zsh" suffix(, 0)
};

const char *ctexts_find(const char *name) {
  if (strcmp(name, "licenses/Apache-2.0.txt") == 0) return apache;
  if (strcmp(name, "licenses/blessing.txt") == 0) return blessing;
  if (strcmp(name, "licenses/BSD-3-Clause.txt") == 0) return bsd;
  if (strcmp(name, "licenses/GCC-exception-3.1.txt") == 0) return gcc_exception;
  if (strcmp(name, "licenses/GPL-3.0-or-later.txt") == 0) return gpl;
  if (strcmp(name, "licenses/LGPL-2.1-or-later.txt") == 0) return lgpl;
  if (strcmp(name, "licenses/LLVM-exception.txt") == 0) return llvm_exception;
  if (strcmp(name, "licenses/MIT.txt") == 0) return mit;
  if (strcmp(name, "licenses/Swift-exception.txt") == 0) return swift_exception;
  if (strcmp(name, "licenses/Zlib.txt") == 0) return zlib;
  if (strcmp(name, "notices/glibc.txt") == 0) return glibc_notice;
  if (strcmp(name, "notices/swift-nio.txt") == 0) return swift_nio_notice;
  if (strcmp(name, "completions/mambridge.bash") == 0) return bash_completion;
  if (strcmp(name, "completions/mambridge.fish") == 0) return fish_completion;
  if (strcmp(name, "completions/mambridge.zsh") == 0) return zsh_completion;
  return NULL;
}
