/* SPDX-License-Identifier: MIT */
/* Everything public in one include; each header also stands alone. */
#ifndef TUSK_TUSK_H
#define TUSK_TUSK_H

#include <tusk/bytes.h>
#include <tusk/client.h>
#include <tusk/crew.h>
#include <tusk/err.h>
#include <tusk/form.h>
#include <tusk/http.h>
#include <tusk/hub.h>
#include <tusk/load.h>
#include <tusk/loop.h>
#include <tusk/mem.h>
#include <tusk/multipart.h>
#include <tusk/net.h>
#include <tusk/relay.h>
#include <tusk/relay_http.h>
#include <tusk/server.h>
#include <tusk/sockmap.h>
#include <tusk/sse.h>
#include <tusk/stats.h>
#include <tusk/supervisor.h>
#include <tusk/tls.h>
#include <tusk/usage.h>
#include <tusk/version.h>
#include <tusk/work.h>
#include <tusk/ws.h>

#endif
