#if TenantService
import CPostgreSQL
import Database
import Support
#endif
