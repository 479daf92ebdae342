#include "CTexts.h"
#include <string.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

static const char html[] = {
#embed "../../Service/DevelopmentPage/index.html"
};
static const char page[] = {
#embed "../../Service/DevelopmentPage/page.js"
};
static const char style[] = {
#embed "../../Service/DevelopmentPage/page.css"
};
// Of the console.
static const char dom[] = {
#embed "../../Program/Console/dom.js"
};
static const char frame[] = {
#embed "../../Program/Console/frame.css"
};
static const char tokens[] = {
#embed "../../Program/Console/tokens.css"
};

#define FILE_NAMED(file, bytes) \
  if (strcmp(name, file) == 0) { \
    *count = (long)sizeof bytes; \
    return bytes; \
  }

const void *ctexts_development_file(const char *name, long *count) {
  FILE_NAMED("index.html", html)
  FILE_NAMED("page.js", page)
  FILE_NAMED("page.css", style)
  FILE_NAMED("dom.js", dom)
  FILE_NAMED("frame.css", frame)
  FILE_NAMED("tokens.css", tokens)
  return NULL;
}
