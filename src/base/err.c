/* SPDX-License-Identifier: MIT */
/* Texts and names of the error values. */
#include <tusk/err.h>

struct entry {
    const char *name;
    const char *text;
};

static struct entry find(tusk_err err)
{
    switch (err) {
    case TUSK_OK: return (struct entry){"OK", "no error"};
    case TUSK_ENOMEM: return (struct entry){"ENOMEM", "out of memory"};
    case TUSK_EINVAL: return (struct entry){"EINVAL", "argument out of range"};
    case TUSK_ESTATE: return (struct entry){"ESTATE", "not possible in this state"};
    case TUSK_ELIMIT: return (struct entry){"ELIMIT", "limit reached"};
    case TUSK_EAGAIN: return (struct entry){"EAGAIN", "nothing to do now"};
    case TUSK_ESYS: return (struct entry){"ESYS", "system call failed"};
    case TUSK_ENOTSUP: return (struct entry){"ENOTSUP", "not supported by this build or platform"};
    case TUSK_ENOENT: return (struct entry){"ENOENT", "not found"};
    case TUSK_EADDRINUSE: return (struct entry){"EADDRINUSE", "address already in use"};
    case TUSK_EADDRNOTAVAIL:
        return (struct entry){"EADDRNOTAVAIL", "not an address of this machine"};
    case TUSK_EACCES: return (struct entry){"EACCES", "permission denied"};
    case TUSK_EEXHAUSTED:
        return (struct entry){"EEXHAUSTED", "no descriptor, local port or thread is left"};
    case TUSK_EPROTO: return (struct entry){"EPROTO", "protocol error"};
    case TUSK_EUTF8: return (struct entry){"EUTF8", "text is not UTF-8"};
    case TUSK_ETOOBIG: return (struct entry){"ETOOBIG", "message too big"};
    case TUSK_EHEADERS: return (struct entry){"EHEADERS", "header section too large"};
    case TUSK_EURI: return (struct entry){"EURI", "request target too long"};
    case TUSK_EVERSION: return (struct entry){"EVERSION", "protocol version not supported"};
    case TUSK_EMETHOD: return (struct entry){"EMETHOD", "method not implemented"};
    case TUSK_ECODING: return (struct entry){"ECODING", "transfer coding not implemented"};
    case TUSK_EDEFLATE: return (struct entry){"EDEFLATE", "compressed data is not valid"};
    case TUSK_EPOLICY: return (struct entry){"EPOLICY", "policy violation"};
    case TUSK_EEXPECT: return (struct entry){"EEXPECT", "expectation failed"};
    case TUSK_EEOF: return (struct entry){"EEOF", "end of stream"};
    case TUSK_ERESET: return (struct entry){"ERESET", "connection reset by peer"};
    case TUSK_ETIMEOUT: return (struct entry){"ETIMEOUT", "deadline passed"};
    case TUSK_ETLS: return (struct entry){"ETLS", "TLS failed"};
    case TUSK_EREFUSED: return (struct entry){"EREFUSED", "connection refused"};
    }
    return (struct entry){"UNKNOWN", "unknown error"};
}

const char *tusk_err_text(tusk_err err)
{
    return find(err).text;
}

const char *tusk_err_name(tusk_err err)
{
    return find(err).name;
}
