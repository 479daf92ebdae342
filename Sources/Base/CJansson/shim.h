#pragma once
#include <jansson.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

// Any text that is parsed may hold a PIN or a token: what jansson took for it is cleared when it gives it back.
static inline void cjansson_clear_and_free(void *memory) {
  if (memory == NULL) return;
  memset(memory, 0, malloc_usable_size(memory));
  __asm__ volatile("" : : "r"(memory) : "memory");
  free(memory);
}
static inline void cjansson_clear_what_is_freed(void) { json_set_alloc_funcs(malloc, cjansson_clear_and_free); }
