#include "Trace.h"

static void append(struct trace *trace, char byte) {
  if (trace->count < trace->size) trace->bytes[trace->count++] = byte;
}

void trace_text(struct trace *trace, const char *text) {
  while (*text) append(trace, *text++);
}

static void append_number(struct trace *trace, uint64_t number, unsigned base, int leastDigits) {
  char digits[20];
  int count = 0;
  do {
    digits[count++] = "0123456789abcdef"[number % base];
    number /= base;
  } while ((number || count < leastDigits) && count < (int)sizeof digits);
  while (count) append(trace, digits[--count]);
}

void trace_number(struct trace *trace, uint64_t number) { append_number(trace, number, 10, 1); }
void trace_digits(struct trace *trace, uint64_t number, int digits) { append_number(trace, number, 10, digits); }
void trace_byte_hex(struct trace *trace, unsigned char byte) { append_number(trace, byte, 16, 2); }

void trace_hex(struct trace *trace, uint64_t number) {
  trace_text(trace, "0x");
  append_number(trace, number, 16, 1);
}

// https://howardhinnant.github.io/date_algorithms.html#civil_from_days
void trace_time(struct trace *trace, uint64_t seconds) {
  uint64_t days = seconds / 86400 + 719468, second = seconds % 86400;
  uint64_t era = days / 146097, dayOfEra = days % 146097;
  uint64_t yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  uint64_t dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  uint64_t shifted = (5 * dayOfYear + 2) / 153;  // Months since March.
  uint64_t month = shifted < 10 ? shifted + 3 : shifted - 9;
  trace_digits(trace, yearOfEra + era * 400 + (month <= 2), 4);
  trace_text(trace, "-");
  trace_digits(trace, month, 2);
  trace_text(trace, "-");
  trace_digits(trace, dayOfYear - (153 * shifted + 2) / 5 + 1, 2);
  trace_text(trace, "T");
  trace_digits(trace, second / 3600, 2);
  trace_text(trace, ":");
  trace_digits(trace, second / 60 % 60, 2);
  trace_text(trace, ":");
  trace_digits(trace, second % 60, 2);
  trace_text(trace, "Z");
}
