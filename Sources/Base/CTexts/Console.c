#include "CTexts.h"
#include <string.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

// Written by scripts/embed-console. Arrays of bytes, and no table of pointers to them: nothing has to be relocated or
// copied at the start.
static const char file_0[] = {
#embed "../../Program/Console/accounts.js" suffix(, 0) if_empty(0)
};
static const char file_1[] = {
#embed "../../Program/Console/actions.js" suffix(, 0) if_empty(0)
};
static const char file_2[] = {
#embed "../../Program/Console/activity.js" suffix(, 0) if_empty(0)
};
static const char file_3[] = {
#embed "../../Program/Console/app.js" suffix(, 0) if_empty(0)
};
static const char file_4[] = {
#embed "../../Program/Console/ask.js" suffix(, 0) if_empty(0)
};
static const char file_5[] = {
#embed "../../Program/Console/compare.js" suffix(, 0) if_empty(0)
};
static const char file_6[] = {
#embed "../../Program/Console/console.css" suffix(, 0) if_empty(0)
};
static const char file_7[] = {
#embed "../../Program/Console/device.js" suffix(, 0) if_empty(0)
};
static const char file_8[] = {
#embed "../../Program/Console/diagnostics.js" suffix(, 0) if_empty(0)
};
static const char file_9[] = {
#embed "../../Program/Console/dom.js" suffix(, 0) if_empty(0)
};
static const char file_10[] = {
#embed "../../Program/Console/drawer.js" suffix(, 0) if_empty(0)
};
static const char file_11[] = {
#embed "../../Program/Console/examine-labels.js" suffix(, 0) if_empty(0)
};
static const char file_12[] = {
#embed "../../Program/Console/examine.js" suffix(, 0) if_empty(0)
};
static const char file_13[] = {
#embed "../../Program/Console/expectations.js" suffix(, 0) if_empty(0)
};
static const char file_14[] = {
#embed "../../Program/Console/export.js" suffix(, 0) if_empty(0)
};
static const char file_15[] = {
#embed "../../Program/Console/feed.js" suffix(, 0) if_empty(0)
};
static const char file_16[] = {
#embed "../../Program/Console/form.js" suffix(, 0) if_empty(0)
};
static const char file_17[] = {
#embed "../../Program/Console/format.js" suffix(, 0) if_empty(0)
};
static const char file_18[] = {
#embed "../../Program/Console/frame.css" suffix(, 0) if_empty(0)
};
static const char file_19[] = {
#embed "../../Program/Console/icon.svg" suffix(, 0) if_empty(0)
};
static const char file_20[] = {
#embed "../../Program/Console/icons.js" suffix(, 0) if_empty(0)
};
static const char file_21[] = {
#embed "../../Program/Console/index.html" suffix(, 0) if_empty(0)
};
static const char file_22[] = {
#embed "../../Program/Console/labels.js" suffix(, 0) if_empty(0)
};
static const char file_23[] = {
#embed "../../Program/Console/launch.js" suffix(, 0) if_empty(0)
};
static const char file_24[] = {
#embed "../../Program/Console/list.js" suffix(, 0) if_empty(0)
};
static const char file_25[] = {
#embed "../../Program/Console/notices.js" suffix(, 0) if_empty(0)
};
static const char file_26[] = {
#embed "../../Program/Console/page.js" suffix(, 0) if_empty(0)
};
static const char file_27[] = {
#embed "../../Program/Console/parts.js" suffix(, 0) if_empty(0)
};
static const char file_28[] = {
#embed "../../Program/Console/policy.js" suffix(, 0) if_empty(0)
};
static const char file_29[] = {
#embed "../../Program/Console/prompt.js" suffix(, 0) if_empty(0)
};
static const char file_30[] = {
#embed "../../Program/Console/record.js" suffix(, 0) if_empty(0)
};
static const char file_31[] = {
#embed "../../Program/Console/report.css" suffix(, 0) if_empty(0)
};
static const char file_32[] = {
#embed "../../Program/Console/report.js" suffix(, 0) if_empty(0)
};
static const char file_33[] = {
#embed "../../Program/Console/rpc.js" suffix(, 0) if_empty(0)
};
static const char file_34[] = {
#embed "../../Program/Console/sandbox-export.js" suffix(, 0) if_empty(0)
};
static const char file_35[] = {
#embed "../../Program/Console/sandbox-form.js" suffix(, 0) if_empty(0)
};
static const char file_36[] = {
#embed "../../Program/Console/sandbox-labels.js" suffix(, 0) if_empty(0)
};
static const char file_37[] = {
#embed "../../Program/Console/sandbox-run.js" suffix(, 0) if_empty(0)
};
static const char file_38[] = {
#embed "../../Program/Console/sandbox-tenant.js" suffix(, 0) if_empty(0)
};
static const char file_39[] = {
#embed "../../Program/Console/sandbox.js" suffix(, 0) if_empty(0)
};
static const char file_40[] = {
#embed "../../Program/Console/sentences.js" suffix(, 0) if_empty(0)
};
static const char file_41[] = {
#embed "../../Program/Console/session.js" suffix(, 0) if_empty(0)
};
static const char file_42[] = {
#embed "../../Program/Console/settings.js" suffix(, 0) if_empty(0)
};
static const char file_43[] = {
#embed "../../Program/Console/state.js" suffix(, 0) if_empty(0)
};
static const char file_44[] = {
#embed "../../Program/Console/stream.js" suffix(, 0) if_empty(0)
};
static const char file_45[] = {
#embed "../../Program/Console/text.js" suffix(, 0) if_empty(0)
};
static const char file_46[] = {
#embed "../../Program/Console/timeline.js" suffix(, 0) if_empty(0)
};
static const char file_47[] = {
#embed "../../Program/Console/tokens.css" suffix(, 0) if_empty(0)
};

#define FILE_NAMED(file, bytes) \
  if (strcmp(name, file) == 0) { \
    *count = (long)sizeof bytes - 1; \
    return bytes; \
  }

const void *ctexts_console_file(const char *name, long *count) {
  FILE_NAMED("accounts.js", file_0)
  FILE_NAMED("actions.js", file_1)
  FILE_NAMED("activity.js", file_2)
  FILE_NAMED("app.js", file_3)
  FILE_NAMED("ask.js", file_4)
  FILE_NAMED("compare.js", file_5)
  FILE_NAMED("console.css", file_6)
  FILE_NAMED("device.js", file_7)
  FILE_NAMED("diagnostics.js", file_8)
  FILE_NAMED("dom.js", file_9)
  FILE_NAMED("drawer.js", file_10)
  FILE_NAMED("examine-labels.js", file_11)
  FILE_NAMED("examine.js", file_12)
  FILE_NAMED("expectations.js", file_13)
  FILE_NAMED("export.js", file_14)
  FILE_NAMED("feed.js", file_15)
  FILE_NAMED("form.js", file_16)
  FILE_NAMED("format.js", file_17)
  FILE_NAMED("frame.css", file_18)
  FILE_NAMED("icon.svg", file_19)
  FILE_NAMED("icons.js", file_20)
  FILE_NAMED("index.html", file_21)
  FILE_NAMED("labels.js", file_22)
  FILE_NAMED("launch.js", file_23)
  FILE_NAMED("list.js", file_24)
  FILE_NAMED("notices.js", file_25)
  FILE_NAMED("page.js", file_26)
  FILE_NAMED("parts.js", file_27)
  FILE_NAMED("policy.js", file_28)
  FILE_NAMED("prompt.js", file_29)
  FILE_NAMED("record.js", file_30)
  FILE_NAMED("report.css", file_31)
  FILE_NAMED("report.js", file_32)
  FILE_NAMED("rpc.js", file_33)
  FILE_NAMED("sandbox-export.js", file_34)
  FILE_NAMED("sandbox-form.js", file_35)
  FILE_NAMED("sandbox-labels.js", file_36)
  FILE_NAMED("sandbox-run.js", file_37)
  FILE_NAMED("sandbox-tenant.js", file_38)
  FILE_NAMED("sandbox.js", file_39)
  FILE_NAMED("sentences.js", file_40)
  FILE_NAMED("session.js", file_41)
  FILE_NAMED("settings.js", file_42)
  FILE_NAMED("state.js", file_43)
  FILE_NAMED("stream.js", file_44)
  FILE_NAMED("text.js", file_45)
  FILE_NAMED("timeline.js", file_46)
  FILE_NAMED("tokens.css", file_47)
  return NULL;
}
