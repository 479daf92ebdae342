// What a program leaves behind if a signal ends it: the signal, the build, addresses of its code and the names of the last
// calls, in a file of a folder that it has named, or else on stderr. No content of memory is written.
#pragma once
#include <stddef.h>

// Handles SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV and SIGTRAP, unless they are ignored: writes the trace, then lets the
// signal do what it did before. Texts longer than 63 bytes are cut. Does nothing in a build with a sanitizer, which has
// handlers of its own. Call it before other threads start, and once.
void ccrash_install(const char *program, const char *version);

// Opens the file of the trace in the folder `crashes` of this folder, which is made only if a signal ends the program. The
// file has no name before. The first folder counts. Without ccrash_install, does nothing.
void ccrash_open(const char *folder);

// A stack on which this thread writes a trace even if its own stack is used up. NULL without memory, and without
// ccrash_install. Pass the result to ccrash_end_thread on the same thread. The first thread has one.
void *ccrash_begin_thread(void);
void ccrash_end_thread(void *stack);

// Notes the name of a call. Takes no lock. A name longer than 63 bytes is cut.
void ccrash_note_call(const char *name, size_t count);
