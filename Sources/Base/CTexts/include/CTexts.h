// Texts that are built into the program: licenses, notices and completion scripts.
#pragma once

// The text of a file in this folder, for example "licenses/MIT.txt". NULL for any other name.
const char *_Nullable ctexts_find(const char *_Nonnull name);

// The bytes of a file of the console's page, for example "index.html". NULL for any other name.
const void *_Nullable ctexts_console_file(const char *_Nonnull name, long *_Nonnull count);

// The same for the page of a development tenant.
const void *_Nullable ctexts_development_file(const char *_Nonnull name, long *_Nonnull count);
