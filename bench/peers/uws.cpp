/* SPDX-License-Identifier: MIT */
/* uWebSockets as a peer, for those who have it: compile against its headers and its socket library, without SSL and
 * without zlib, then give the executable's path as TUSK_PEER_UWS. uws ROLE PORT */
#include "App.h"

#include <cstdlib>
#include <cstring>
#include <string_view>

struct Nothing {
};

int main(int argc, char **argv)
{
    if (argc < 3) {
        return 2;
    }
    const bool broadcast = std::strcmp(argv[1], "broadcast") == 0;
    uWS::App app;
    app.get("/", [](auto *response, auto *) { response->end("Hello, World!"); });
    app.ws<Nothing>("/*", {
        .compression = uWS::DISABLED,
        .maxPayloadLength = 16 * 1024 * 1024,
        .idleTimeout = 120,
        .maxBackpressure = 16 * 1024 * 1024,
        .open = [broadcast](auto *ws) {
            if (broadcast) {
                ws->subscribe("room");
            }
        },
        .message = [broadcast, &app](auto *ws, std::string_view data, uWS::OpCode opcode) {
            if (broadcast) {
                app.publish("room", data, opcode);
            } else {
                ws->send(data, opcode);
            }
        },
    });
    app.listen("127.0.0.1", std::atoi(argv[2]), [](auto *listener) {
        if (listener == nullptr) {
            std::exit(1);
        }
    });
    app.run();
    return 0;
}
