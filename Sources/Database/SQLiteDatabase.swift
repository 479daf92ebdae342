import SQLite
import Support
