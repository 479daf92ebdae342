#define _GNU_SOURCE
#include "Image.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { MOST_FRAMES = 64, MOST_CANDIDATES = 24, SCANNED_BYTES = 4096, LONGEST_FRAME = 1 << 20 };

// `bias` is what the addresses in the file differ by from those in memory.
static struct {
  const ElfW(Phdr) *headers;
  size_t count;
  uintptr_t bias;
} image;

void image_find(void) {
  const ElfW(Phdr) *headers = (const ElfW(Phdr) *)getauxval(AT_PHDR);
  size_t count = getauxval(AT_PHNUM);
  // The headers follow the ELF header, in the segment that begins the file.
  for (size_t index = 0; headers && index < count; index++) {
    if (headers[index].p_type != PT_LOAD || headers[index].p_offset != 0) continue;
    image.headers = headers;
    image.count = count;
    image.bias = (uintptr_t)headers - sizeof(ElfW(Ehdr)) - headers[index].p_vaddr;
  }
}

static int is_code(uintptr_t address) {
  for (size_t index = 0; index < image.count; index++) {
    const ElfW(Phdr) *header = &image.headers[index];
    if (header->p_type == PT_LOAD && header->p_flags & PF_X
        && address - image.bias - header->p_vaddr < header->p_memsz) return 1;
  }
  return 0;
}

void image_write_build(struct trace *trace) {
  for (size_t index = 0; index < image.count; index++) {
    if (image.headers[index].p_type != PT_NOTE) continue;
    uintptr_t at = image.headers[index].p_vaddr + image.bias, end = at + image.headers[index].p_memsz;
    while (at + sizeof(ElfW(Nhdr)) < end) {
      const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
      const char *name = (const char *)(note + 1);
      const unsigned char *id = (const unsigned char *)name + (note->n_namesz + 3U & ~3U);
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
        for (size_t byte = 0; byte < note->n_descsz && byte < 32; byte++) trace_byte_hex(trace, id[byte]);
        return;
      }
      at = (uintptr_t)id + (note->n_descsz + 3U & ~3U);
    }
  }
  trace_text(trace, "none");
}

// The kernel reads the bytes before it finds that the first argument is invalid, and says so if it cannot.
static int can_read(uintptr_t address) {
  return !syscall(SYS_rt_sigprocmask, ~0, address & ~7UL, NULL, 8) || errno != EFAULT;
}

// Whether the instruction before the address is a call. The bytes are code, which can be read.
static int follows_call(uintptr_t address) {
#if defined(__x86_64__)
  const unsigned char *code = (const unsigned char *)address;
  if (!is_code(address - 7)) return 0;
  if (code[-5] == 0xe8) return 1;
  for (int length = 2; length <= 7; length++) {
    if (code[-length] == 0xff && (code[1 - length] & 0x38) == 0x10) return 1;
  }
  return 0;
#elif defined(__aarch64__)
  if (address & 3 || !is_code(address - 4)) return 0;
  uint32_t code = *(const uint32_t *)(address - 4);
  return (code & 0xfc000000) == 0x94000000 || (code & 0xfffffc1f) == 0xd63f0000;
#else
  return 1;
#endif
}

struct registers {
  uintptr_t place, stack, frame, link;
};

static struct registers registers_of(const void *context) {
  const mcontext_t *machine = &((const ucontext_t *)context)->uc_mcontext;
#if defined(__x86_64__)
  return (struct registers){
    .place = machine->gregs[REG_RIP], .stack = machine->gregs[REG_RSP], .frame = machine->gregs[REG_RBP]};
#elif defined(__aarch64__)
  return (struct registers){
    .place = machine->pc, .stack = machine->sp, .frame = machine->regs[29], .link = machine->regs[30]};
#else
  (void)machine;
  return (struct registers){0};
#endif
}

uintptr_t image_stack_pointer(const void *context) { return registers_of(context).stack; }

static void write_address(struct trace *trace, const char *kind, uintptr_t address) {
  trace_text(trace, kind);
  if (is_code(address)) {
    trace_hex(trace, address - image.bias);
  } else {
    trace_text(trace, "outside");
  }
  trace_text(trace, "\n");
}

// Swift marks the frame of an asynchronous function with this bit.
static uintptr_t without_mark(uintptr_t frame) { return frame & ~(1UL << 60); }

static int is_frame(uintptr_t frame, uintptr_t after) {
  return frame % sizeof(uintptr_t) == 0 && frame >= after && frame - after < LONGEST_FRAME && can_read(frame)
    && can_read(frame + sizeof(uintptr_t));
}

static void write_candidates(struct trace *trace, uintptr_t begin, uintptr_t end) {
  int found = 0;
  for (uintptr_t at = begin; at < end && found < MOST_CANDIDATES && can_read(at); at += sizeof(uintptr_t)) {
    uintptr_t value = *(const uintptr_t *)at;
    if (!is_code(value) || !follows_call(value)) continue;
    write_address(trace, "maybe ", value);
    found++;
  }
}

void image_write_frames(struct trace *trace, const void *context) {
  struct registers now = registers_of(context);
  write_address(trace, "at ", now.place);
  if (is_code(now.link)) write_address(trace, "maybe ", now.link);
  uintptr_t stack = now.stack & ~(sizeof(uintptr_t) - 1), frame = without_mark(now.frame);
  uintptr_t first = is_frame(frame, stack) ? frame : stack + SCANNED_BYTES;
  write_candidates(trace, stack, first - stack < SCANNED_BYTES ? first : stack + SCANNED_BYTES);
  for (int count = 0; count < MOST_FRAMES && is_frame(frame, stack); count++) {
    const uintptr_t *record = (const uintptr_t *)frame;
    if (record[1] == 0) return;
    write_address(trace, "frame ", record[1]);
    stack = frame + sizeof(uintptr_t);
    frame = without_mark(record[0]);
  }
}
