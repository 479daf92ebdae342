// The text of a trace, in a buffer of fixed size, without the C library: a handler of signals may call all of this.
#pragma once
#include <stddef.h>
#include <stdint.h>

struct trace {
  char *bytes;
  size_t count, size;
};

void trace_text(struct trace *trace, const char *text);
void trace_number(struct trace *trace, uint64_t number);
// With this many digits, and zeros in front.
void trace_digits(struct trace *trace, uint64_t number, int digits);
void trace_hex(struct trace *trace, uint64_t number);
void trace_byte_hex(struct trace *trace, unsigned char byte);
// Seconds since 1970, as 2026-01-31T12:00:00Z.
void trace_time(struct trace *trace, uint64_t seconds);
