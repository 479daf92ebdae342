#include <cstddef>

// Only the headers of C++ name the release.
extern "C" int cglibc_gcc_release(void) { return _GLIBCXX_RELEASE; }
