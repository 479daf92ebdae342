// The executable in memory: where its code is, and which build it is.
#pragma once
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "Trace.h"

// Learns where the executable is. Call it before the others, outside of a handler; all others may be called in one.
void image_find(void);

// Writes the build id that the linker gave the executable, or `none`.
void image_write_build(struct trace *trace);

// Writes where the thread of this context was, and who called that, as addresses in the file of the executable, one a line:
// `at`, the place; `frame`, from the chain of frame pointers; `maybe`, what lies on the stack before the first frame and
// looks like a return address, because C libraries keep no frame pointers.
void image_write_frames(struct trace *trace, const void *context);

// The stack pointer of the context.
uintptr_t image_stack_pointer(const void *context);
