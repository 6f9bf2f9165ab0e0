/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: 4b93c2f9db1c802a97a6bc8ab8b891d1f1c235f5 */

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_Position___construct, 0, 0, 1)
	ZEND_ARG_TYPE_INFO(0, text, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Position___toString, 0, 0, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Position_jsonSerialize arginfo_class_Tusk_Position___toString

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_Tls___construct, 0, 0, 2)
	ZEND_ARG_TYPE_INFO(0, certificate, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, passphrase, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, sni, IS_ARRAY, 0, "[]")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, clientCa, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, minVersion, IS_STRING, 0, "\"1.2\"")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ciphers, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, clientOptional, _IS_BOOL, 0, "false")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, clientCrl, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_TlsInfo___construct, 0, 0, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Certificate___construct arginfo_class_Tusk_TlsInfo___construct

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_Limits___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, connections, IS_LONG, 0, "10000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, perAddress, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, handshakes, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, messageBytes, IS_LONG, 0, "16777216")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, messageFrames, IS_LONG, 0, "1000000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, unfinishedBytes, IS_LONG, 0, "268435456")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, unfinishedMs, IS_LONG, 0, "5000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, queuedBytes, IS_LONG, 0, "16777216")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, queuedBytesTotal, IS_LONG, 0, "268435456")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, messagesPerSecond, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, bytesPerSecond, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, subscriptions, IS_LONG, 0, "1000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, headBytes, IS_LONG, 0, "16384")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, headFields, IS_LONG, 0, "100")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, bodyBytes, IS_LONG, 0, "8388608")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, handshakeMs, IS_LONG, 0, "10000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, bodyMs, IS_LONG, 0, "60000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, idleMs, IS_LONG, 0, "120000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, keepAliveMs, IS_LONG, 0, "60000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, pingMs, IS_LONG, 0, "30000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, pongMs, IS_LONG, 0, "10000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, closeMs, IS_LONG, 0, "5000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, drainMs, IS_LONG, 0, "5000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, heartbeatMs, IS_LONG, 0, "15000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, historyBytes, IS_LONG, 0, "16777216")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, parkedHandlers, IS_LONG, 0, "10000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, slowHandlerMs, IS_LONG, 0, "100")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, formParts, IS_LONG, 0, "1000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, partHeadBytes, IS_LONG, 0, "4096")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, fileBytes, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, workerBytes, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, subscriptionBytes, IS_LONG, 0, "134217728")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_Server___construct, 0, 0, 0)
	ZEND_ARG_TYPE_MASK(0, listen, MAY_BE_STRING|MAY_BE_ARRAY, "[]")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, tls, Tusk\\Tls, 1, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, limits, Tusk\\Limits, 1, "null")
	ZEND_ARG_TYPE_MASK(0, workers, MAY_BE_LONG|MAY_BE_STRING, "1")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, trustedProxies, IS_ARRAY, 0, "[]")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, proxyProtocol, _IS_BOOL, 0, "false")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, user, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, group, IS_STRING, 1, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, bootstrap, Closure, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Server_listen, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, address, IS_STRING, 0)
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, tls, Tusk\\Tls, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Server_websocket, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, path, IS_STRING, 0)
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, message, Closure, 1, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, open, Closure, 1, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, close, Closure, 1, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, authorize, Closure, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, subprotocols, IS_ARRAY, 0, "[]")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, origins, IS_ARRAY, 1, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, deflate, Tusk\\WebSocket\\Deflate, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Server_events, 0, 2, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, path, IS_STRING, 0)
	ZEND_ARG_OBJ_INFO(0, open, Closure, 0)
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, close, Closure, 1, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, authorize, Closure, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, origins, IS_ARRAY, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Server_get, 0, 2, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, path, IS_STRING, 0)
	ZEND_ARG_OBJ_INFO(0, handler, Closure, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Server_post arginfo_class_Tusk_Server_get

#define arginfo_class_Tusk_Server_put arginfo_class_Tusk_Server_get

#define arginfo_class_Tusk_Server_patch arginfo_class_Tusk_Server_get

#define arginfo_class_Tusk_Server_delete arginfo_class_Tusk_Server_get

#define arginfo_class_Tusk_Server_options arginfo_class_Tusk_Server_get

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Server_fallback, 0, 1, IS_VOID, 0)
	ZEND_ARG_OBJ_INFO(0, handler, Closure, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, methods, _IS_BOOL, 0, "false")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Server_allowed, 0, 1, IS_ARRAY, 0)
	ZEND_ARG_OBJ_INFO(0, request, Tusk\\Http\\Request, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Server_files, 0, 2, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, prefix, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, directory, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, index, IS_STRING, 0, "\"index.html\"")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, cacheControl, IS_STRING, 0, "\"no-cache\"")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, followSymlinks, _IS_BOOL, 0, "false")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, headers, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Server_admin, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, address, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Server_onError, 0, 1, IS_VOID, 0)
	ZEND_ARG_OBJ_INFO(0, handler, Closure, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Server_onListen arginfo_class_Tusk_Server_onError

#define arginfo_class_Tusk_Server_onStart arginfo_class_Tusk_Server_onError

#define arginfo_class_Tusk_Server_onStop arginfo_class_Tusk_Server_onError

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Server_publish, 0, 2, Tusk\\Position, 0)
	ZEND_ARG_TYPE_INFO(0, topic, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, data, IS_STRING, 0)
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, type, Tusk\\WebSocket\\MessageType, 0, "Tusk\\WebSocket\\MessageType::Text")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, event, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, id, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Server_subscribers, 0, 1, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, topic, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Server_position, 0, 0, Tusk\\Position, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Server_run, 0, 0, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Server_stop, 0, 0, IS_VOID, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Server_worker, 0, 0, IS_LONG, 1)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Server_reloadCertificates arginfo_class_Tusk_Server_stop

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Server_stats, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Server_getDriver arginfo_class_Tusk_Position___toString

#define arginfo_class_Tusk_Timer___construct arginfo_class_Tusk_TlsInfo___construct

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Timer_delay, 0, 2, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, seconds, IS_DOUBLE, 0)
	ZEND_ARG_OBJ_INFO(0, callback, Closure, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Timer_repeat arginfo_class_Tusk_Timer_delay

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Timer_defer, 0, 1, IS_STRING, 0)
	ZEND_ARG_OBJ_INFO(0, callback, Closure, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Timer_cancel, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, id, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Timer_sleep, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, seconds, IS_DOUBLE, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Wait___construct arginfo_class_Tusk_TlsInfo___construct

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Wait_readable, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_INFO(0, stream)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, timeout, IS_DOUBLE, 1, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Wait_writable arginfo_class_Tusk_Wait_readable

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Wait_curl, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, multi, IS_OBJECT, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, timeout, IS_DOUBLE, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Wait_parks, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Watch___construct arginfo_class_Tusk_TlsInfo___construct

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Watch_onReadable, 0, 2, IS_STRING, 0)
	ZEND_ARG_INFO(0, stream)
	ZEND_ARG_OBJ_INFO(0, callback, Closure, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Watch_onWritable arginfo_class_Tusk_Watch_onReadable

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Watch_onSignal, 0, 2, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, signal, IS_LONG, 0)
	ZEND_ARG_OBJ_INFO(0, callback, Closure, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Watch_enable arginfo_class_Tusk_Timer_cancel

#define arginfo_class_Tusk_Watch_disable arginfo_class_Tusk_Timer_cancel

#define arginfo_class_Tusk_Watch_cancel arginfo_class_Tusk_Timer_cancel

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Condition_wait, 0, 0, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, timeout, IS_DOUBLE, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Condition_notify, 0, 0, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, count, IS_LONG, 0, "1")
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Scope___construct arginfo_class_Tusk_TlsInfo___construct

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Scope_current, 0, 0, IS_OBJECT, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Http_Request___construct arginfo_class_Tusk_TlsInfo___construct

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Http_Request_header, 0, 1, IS_STRING, 1)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Http_Request_query arginfo_class_Tusk_Http_Request_header

#define arginfo_class_Tusk_Http_Request_queryAll arginfo_class_Tusk_Server_stats

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Http_Request_queryValues, 0, 1, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Http_Request_cookie arginfo_class_Tusk_Http_Request_header

#define arginfo_class_Tusk_Http_Request_form arginfo_class_Tusk_Http_Request_header

#define arginfo_class_Tusk_Http_Request_formAll arginfo_class_Tusk_Server_stats

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Http_Request_file, 0, 1, Tusk\\Http\\\125ploadedFile, 1)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Http_Request_files, 0, 0, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, name, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Http_Request_json, 0, 0, IS_MIXED, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Http_Request_tls, 0, 0, Tusk\\TlsInfo, 1)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Http_UploadedFile___construct arginfo_class_Tusk_TlsInfo___construct

#define arginfo_class_Tusk_Http_UploadedFile_contents arginfo_class_Tusk_Position___toString

#define arginfo_class_Tusk_Http_UploadedFile_stream arginfo_class_Tusk_TlsInfo___construct

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_Http_Response___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, status, IS_LONG, 0, "200")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, body, IS_STRING, 0, "\"\"")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, headers, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Http_Response_text, 0, 1, Tusk\\Http\\Response, 0)
	ZEND_ARG_TYPE_INFO(0, body, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, status, IS_LONG, 0, "200")
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Http_Response_html arginfo_class_Tusk_Http_Response_text

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Http_Response_json, 0, 1, Tusk\\Http\\Response, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, status, IS_LONG, 0, "200")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Http_Response_file, 0, 1, Tusk\\Http\\Response, 0)
	ZEND_ARG_TYPE_INFO(0, path, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, type, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Http_Response_redirect, 0, 1, Tusk\\Http\\Response, 0)
	ZEND_ARG_TYPE_INFO(0, location, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, status, IS_LONG, 0, "303")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Http_Response_stream, 0, 1, Tusk\\Http\\Response, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, chunks, Traversable, MAY_BE_ARRAY, NULL)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, type, IS_STRING, 1, "\"application/octet-stream\"")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, status, IS_LONG, 0, "200")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, length, IS_LONG, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Http_Response_withHeader, 0, 2, Tusk\\Http\\Response, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Http_Response_withAddedHeader arginfo_class_Tusk_Http_Response_withHeader

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Http_Response_withoutHeader, 0, 1, Tusk\\Http\\Response, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Http_Response_withStatus, 0, 1, Tusk\\Http\\Response, 0)
	ZEND_ARG_TYPE_INFO(0, status, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Http_Response_withBody, 0, 1, Tusk\\Http\\Response, 0)
	ZEND_ARG_TYPE_INFO(0, body, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Http_Response_withCookie, 0, 2, Tusk\\Http\\Response, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, maxAge, IS_LONG, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, path, IS_STRING, 0, "\"/\"")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, domain, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, secure, _IS_BOOL, 0, "false")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, httpOnly, _IS_BOOL, 0, "true")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, sameSite, IS_STRING, 0, "\"Lax\"")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_Http_Client___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, timeout, IS_DOUBLE, 0, "30.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, maxBody, IS_LONG, 0, "16777216")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, verify, _IS_BOOL, 0, "true")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ca, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Http_Client_request, 0, 2, Tusk\\Http\\ClientResponse, 0)
	ZEND_ARG_TYPE_INFO(0, method, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, url, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, headers, IS_ARRAY, 0, "[]")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, body, IS_STRING, 0, "\"\"")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Http_Client_get, 0, 1, Tusk\\Http\\ClientResponse, 0)
	ZEND_ARG_TYPE_INFO(0, url, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, headers, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Http_Client_post, 0, 1, Tusk\\Http\\ClientResponse, 0)
	ZEND_ARG_TYPE_INFO(0, url, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, body, IS_STRING, 0, "\"\"")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, headers, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Http_ClientResponse___construct arginfo_class_Tusk_TlsInfo___construct

#define arginfo_class_Tusk_Http_ClientResponse_header arginfo_class_Tusk_Http_Request_header

#define arginfo_class_Tusk_Http_ClientResponse_headerValues arginfo_class_Tusk_Http_Request_queryValues

#define arginfo_class_Tusk_Http_ClientResponse_json arginfo_class_Tusk_Http_Request_json

#define arginfo_class_Tusk_Sse_EventStream___construct arginfo_class_Tusk_TlsInfo___construct

#define arginfo_class_Tusk_Sse_EventStream_header arginfo_class_Tusk_Http_Request_header

#define arginfo_class_Tusk_Sse_EventStream_query arginfo_class_Tusk_Http_Request_header

#define arginfo_class_Tusk_Sse_EventStream_queryValues arginfo_class_Tusk_Http_Request_queryValues

#define arginfo_class_Tusk_Sse_EventStream_cookie arginfo_class_Tusk_Http_Request_header

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Sse_EventStream_send, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, data, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, event, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, id, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Sse_EventStream_comment, 0, 0, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, text, IS_STRING, 0, "\"\"")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Sse_EventStream_retry, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, milliseconds, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Sse_EventStream_subscribe, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, topic, IS_STRING, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, since, Tusk\\Position, MAY_BE_STRING|MAY_BE_NULL, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, overflow, Tusk\\Overflow, 0, "Tusk\\Overflow::Close")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Sse_EventStream_unsubscribe, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, topic, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Sse_EventStream_close arginfo_class_Tusk_Server_stop

#define arginfo_class_Tusk_Sse_EventStream_isOpen arginfo_class_Tusk_Wait_parks

#define arginfo_class_Tusk_Sse_EventStream_bufferedBytes arginfo_class_Tusk_Server_run

#define arginfo_class_Tusk_Sse_EventStream_tls arginfo_class_Tusk_Http_Request_tls

#define arginfo_class_Tusk_Sse_Event___construct arginfo_class_Tusk_TlsInfo___construct

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_Sse_Client___construct, 0, 0, 1)
	ZEND_ARG_TYPE_INFO(0, url, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, headers, IS_ARRAY, 0, "[]")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, lastEventId, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, retryOnErrorStatus, _IS_BOOL, 0, "false")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, verify, _IS_BOOL, 0, "true")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ca, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, retryMin, IS_DOUBLE, 0, "0.5")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Sse_Client_receive, 0, 0, Tusk\\Sse\\Event, 1)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, timeout, IS_DOUBLE, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Sse_Client_getIterator, 0, 0, Iterator, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Sse_Client_state arginfo_class_Tusk_Server_run

#define arginfo_class_Tusk_Sse_Client_lastEventId arginfo_class_Tusk_Position___toString

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Sse_Client_lastError, 0, 0, IS_STRING, 1)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Sse_Client_close arginfo_class_Tusk_Server_stop

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_WebSocket_ServerOptions___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, maxMessageSize, IS_LONG, 0, "16777216")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, maxQueuedBytes, IS_LONG, 0, "16777216")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, maxConnections, IS_LONG, 0, "10000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, handshakeTimeoutMs, IS_LONG, 0, "10000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, idleTimeoutMs, IS_LONG, 0, "120000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, pingIntervalMs, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, pongTimeoutMs, IS_LONG, 0, "10000")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_WebSocket_Deflate___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, threshold, IS_LONG, 0, "1024")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, level, IS_LONG, 0, "1")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, serverMaxWindowBits, IS_LONG, 0, "15")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, clientMaxWindowBits, IS_LONG, 0, "15")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, serverContextTakeover, _IS_BOOL, 0, "false")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, clientContextTakeover, _IS_BOOL, 0, "false")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_WebSocket_Server___construct, 0, 0, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, options, Tusk\\WebSocket\\ServerOptions, MAY_BE_ARRAY, "[]")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_WebSocket_Server_listen, 0, 2, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, host, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, port, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_WebSocket_Server_subprotocols, 0, 0, IS_VOID, 0)
	ZEND_ARG_VARIADIC_TYPE_INFO(0, protocols, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_WebSocket_Server_deflate, 0, 1, IS_VOID, 0)
	ZEND_ARG_OBJ_INFO(0, options, Tusk\\WebSocket\\Deflate, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_WebSocket_Server_tls, 0, 1, IS_VOID, 0)
	ZEND_ARG_OBJ_INFO(0, tls, Tusk\\Tls, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_WebSocket_Server_onHandshake, 0, 1, IS_VOID, 0)
	ZEND_ARG_OBJ_INFO(0, callback, Closure, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_WebSocket_Server_onOpen arginfo_class_Tusk_WebSocket_Server_onHandshake

#define arginfo_class_Tusk_WebSocket_Server_onMessage arginfo_class_Tusk_WebSocket_Server_onHandshake

#define arginfo_class_Tusk_WebSocket_Server_onClose arginfo_class_Tusk_WebSocket_Server_onHandshake

#define arginfo_class_Tusk_WebSocket_Server_onError arginfo_class_Tusk_WebSocket_Server_onHandshake

#define arginfo_class_Tusk_WebSocket_Server_onStart arginfo_class_Tusk_WebSocket_Server_onHandshake

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_WebSocket_Server_publish, 0, 2, Tusk\\Position, 0)
	ZEND_ARG_TYPE_INFO(0, topic, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, data, IS_STRING, 0)
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, type, Tusk\\WebSocket\\MessageType, 0, "Tusk\\WebSocket\\MessageType::Text")
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_WebSocket_Server_run arginfo_class_Tusk_Server_stop

#define arginfo_class_Tusk_WebSocket_Server_stop arginfo_class_Tusk_Server_stop

#define arginfo_class_Tusk_WebSocket_Server_getDriver arginfo_class_Tusk_Position___toString

#define arginfo_class_Tusk_WebSocket_Server_stats arginfo_class_Tusk_Server_stats

#define arginfo_class_Tusk_WebSocket_Request___construct arginfo_class_Tusk_TlsInfo___construct

#define arginfo_class_Tusk_WebSocket_Request_header arginfo_class_Tusk_Http_Request_header

#define arginfo_class_Tusk_WebSocket_Request_tls arginfo_class_Tusk_Http_Request_tls

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_WebSocket_HandshakeResponse___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, status, IS_LONG, 0, "403")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, headers, IS_ARRAY, 0, "[]")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, body, IS_STRING, 0, "\"\"")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_WebSocket_HandshakeException___construct, 0, 0, 0)
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, response, Tusk\\WebSocket\\HandshakeResponse, 1, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_WebSocket_Connection___construct arginfo_class_Tusk_TlsInfo___construct

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_WebSocket_Connection_send, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, data, IS_STRING, 0)
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, type, Tusk\\WebSocket\\MessageType, 0, "Tusk\\WebSocket\\MessageType::Text")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_WebSocket_Connection_close, 0, 0, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, code, IS_LONG, 0, "1000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, reason, IS_STRING, 0, "\"\"")
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_WebSocket_Connection_isOpen arginfo_class_Tusk_Wait_parks

#define arginfo_class_Tusk_WebSocket_Connection_terminate arginfo_class_Tusk_Server_stop

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_WebSocket_Connection_ping, 0, 0, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, payload, IS_STRING, 0, "\"\"")
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_WebSocket_Connection_subscribe arginfo_class_Tusk_Sse_EventStream_subscribe

#define arginfo_class_Tusk_WebSocket_Connection_unsubscribe arginfo_class_Tusk_Sse_EventStream_unsubscribe

#define arginfo_class_Tusk_WebSocket_Connection_publish arginfo_class_Tusk_WebSocket_Server_publish

#define arginfo_class_Tusk_WebSocket_Connection_bufferedBytes arginfo_class_Tusk_Server_run

#define arginfo_class_Tusk_WebSocket_Connection_tls arginfo_class_Tusk_Http_Request_tls

#define arginfo_class_Tusk_WebSocket_Connection_query arginfo_class_Tusk_Http_Request_header

#define arginfo_class_Tusk_WebSocket_Connection_queryValues arginfo_class_Tusk_Http_Request_queryValues

#define arginfo_class_Tusk_WebSocket_Connection_getIterator arginfo_class_Tusk_Sse_Client_getIterator

#define arginfo_class_Tusk_WebSocket_Messages___construct arginfo_class_Tusk_TlsInfo___construct

#define arginfo_class_Tusk_WebSocket_Messages_current arginfo_class_Tusk_Http_Request_json

#define arginfo_class_Tusk_WebSocket_Messages_key arginfo_class_Tusk_Http_Request_json

#define arginfo_class_Tusk_WebSocket_Messages_next arginfo_class_Tusk_Server_stop

#define arginfo_class_Tusk_WebSocket_Messages_rewind arginfo_class_Tusk_Server_stop

#define arginfo_class_Tusk_WebSocket_Messages_valid arginfo_class_Tusk_Wait_parks

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_WebSocket_Frame___construct, 0, 0, 2)
	ZEND_ARG_OBJ_INFO(0, type, Tusk\\WebSocket\\MessageType, 0)
	ZEND_ARG_TYPE_INFO(0, payload, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, final, _IS_BOOL, 0, "true")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_WebSocket_CloseFrame___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, code, IS_LONG, 0, "1000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, reason, IS_STRING, 0, "\"\"")
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_WebSocket_Protocol___construct arginfo_class_Tusk_TlsInfo___construct

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_WebSocket_Protocol_acceptKey, 0, 1, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_WebSocket_Protocol_encode, 0, 1, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, payload, IS_STRING, 0)
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, type, Tusk\\WebSocket\\MessageType, 0, "Tusk\\WebSocket\\MessageType::Text")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, masked, _IS_BOOL, 0, "false")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_TYPE_MASK_EX(arginfo_class_Tusk_WebSocket_Protocol_decode, 0, 1, Tusk\\WebSocket\\Frame|Tusk\\WebSocket\\CloseFrame, MAY_BE_NULL)
	ZEND_ARG_TYPE_INFO(0, bytes, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_WebSocket_Protocol_pack, 0, 1, IS_STRING, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, payload, Tusk\\WebSocket\\Frame|Tusk\\WebSocket\\CloseFrame, MAY_BE_STRING, NULL)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, opcode, IS_LONG, 0, "Tusk\\WebSocket\\Protocol::OPCODE_TEXT")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, flags, IS_LONG, 0, "Tusk\\WebSocket\\Protocol::FLAG_FIN")
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_WebSocket_Protocol_unpack arginfo_class_Tusk_WebSocket_Protocol_decode

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_WebSocket_Frames___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, maxFrameSize, IS_LONG, 0, "16777216")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_WebSocket_Frames_push, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, bytes, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_TYPE_MASK_EX(arginfo_class_Tusk_WebSocket_Frames_next, 0, 0, Tusk\\WebSocket\\Frame|Tusk\\WebSocket\\CloseFrame, MAY_BE_NULL)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_WebSocket_Frames_bufferedBytes arginfo_class_Tusk_Server_run

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_WebSocket_Client___construct, 0, 0, 1)
	ZEND_ARG_TYPE_INFO(0, url, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, subprotocols, IS_ARRAY, 0, "[]")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, headers, IS_ARRAY, 0, "[]")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, timeout, IS_DOUBLE, 0, "10.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, maxMessageSize, IS_LONG, 0, "16777216")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, deflate, Tusk\\WebSocket\\Deflate, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, verify, _IS_BOOL, 0, "true")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ca, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_WebSocket_Client_send, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, data, IS_STRING, 0)
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, type, Tusk\\WebSocket\\MessageType, 0, "Tusk\\WebSocket\\MessageType::Text")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, timeout, IS_DOUBLE, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_WebSocket_Client_receive, 0, 0, IS_STRING, 1)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, timeout, IS_DOUBLE, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_WebSocket_Client_lastType, 0, 0, Tusk\\WebSocket\\MessageType, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_WebSocket_Client_ping arginfo_class_Tusk_WebSocket_Connection_ping

#define arginfo_class_Tusk_WebSocket_Client_close arginfo_class_Tusk_WebSocket_Connection_close

#define arginfo_class_Tusk_WebSocket_Client_isOpen arginfo_class_Tusk_Wait_parks

#define arginfo_class_Tusk_WebSocket_Client_lastError arginfo_class_Tusk_Sse_Client_lastError

#define arginfo_class_Tusk_WebSocket_Client_getIterator arginfo_class_Tusk_Sse_Client_getIterator

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_Proxy_Target___construct, 0, 0, 1)
	ZEND_ARG_TYPE_INFO(0, address, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, weight, IS_LONG, 0, "1")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_Proxy_UpstreamTls___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, require, _IS_BOOL, 0, "true")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, verify, _IS_BOOL, 0, "true")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ca, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, name, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, certificate, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, key, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Proxy_Route___construct arginfo_class_Tusk_TlsInfo___construct

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Proxy_Route_to, 0, 1, Tusk\\Proxy\\Route, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, targets, Tusk\\Proxy\\Target, MAY_BE_STRING|MAY_BE_ARRAY, NULL)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, metadata, IS_ARRAY, 0, "[]")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 0, "60.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, connectTimeout, IS_DOUBLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, idleTimeout, IS_DOUBLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, proxyProtocol, IS_LONG, 0, "0")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, tls, Tusk\\Proxy\\\125pstreamTls, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, first, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, user, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, database, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, host, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, name, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Proxy_Route_respond, 0, 1, Tusk\\Proxy\\Route, 0)
	ZEND_ARG_OBJ_INFO(0, response, Tusk\\Http\\Response, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, metadata, IS_ARRAY, 0, "[]")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 0, "60.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, name, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_Proxy_Refused___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, status, IS_LONG, 0, "403")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, reason, IS_STRING, 0, "\"\"")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 0, "5.0")
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Proxy_Lookup___construct arginfo_class_Tusk_TlsInfo___construct

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Proxy_Lookup_of, 0, 0, Tusk\\Proxy\\Lookup, 0)
	ZEND_ARG_VARIADIC_TYPE_INFO(0, fields, IS_MIXED, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Proxy_Lookup_fieldsRead arginfo_class_Tusk_Server_stats

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Proxy_Resolver_resolve, 0, 1, Tusk\\Proxy\\Route, 0)
	ZEND_ARG_OBJ_INFO(0, lookup, Tusk\\Proxy\\Lookup, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Proxy_Reloadable_reload, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, asked, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Proxy_Reopenable_reopen arginfo_class_Tusk_Server_stop

#define arginfo_class_Tusk_Proxy_Validation___construct arginfo_class_Tusk_TlsInfo___construct

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Proxy_Validation_publicOnly, 0, 0, Tusk\\Proxy\\Validation, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Proxy_Validation_none arginfo_class_Tusk_Proxy_Validation_publicOnly

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Proxy_Validation_allow, 0, 0, Tusk\\Proxy\\Validation, 0)
	ZEND_ARG_VARIADIC_TYPE_INFO(0, ranges, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_Proxy_Limits___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, connections, IS_LONG, 0, "100000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, perListener, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, perSource, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, perTarget, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ratePerSource, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, lookups, IS_LONG, 0, "1024")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, routes, IS_LONG, 0, "65536")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, firstBytes, IS_LONG, 0, "16384")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, pendingBytes, IS_LONG, 0, "65536")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, waitMs, IS_LONG, 0, "200")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, firstMs, IS_LONG, 0, "10000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, resolveMs, IS_LONG, 0, "5000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, connectMs, IS_LONG, 0, "5000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, connectTotalMs, IS_LONG, 0, "15000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, backendFirstMs, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, idleMs, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, halfClosedMs, IS_LONG, 0, "60000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ageMs, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, drainMs, IS_LONG, 0, "30000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, keepIdleS, IS_LONG, 0, "30")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, keepIntervalS, IS_LONG, 0, "10")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, keepCount, IS_LONG, 0, "3")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, userTimeoutMs, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, attempts, IS_LONG, 0, "3")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ejectFailures, IS_LONG, 0, "3")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ejectMs, IS_LONG, 0, "10000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, checkMs, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, checkRise, IS_LONG, 0, "2")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, checkFall, IS_LONG, 0, "3")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, dnsTtlMs, IS_LONG, 0, "30000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, dnsStaleMs, IS_LONG, 0, "86400000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, queueMs, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, notSentBytes, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, backlog, IS_LONG, 0, "4096")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, metrics, IS_LONG, 0, "256")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_Proxy_HttpLimits___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, lineBytes, IS_LONG, 0, "8192")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, headBytes, IS_LONG, 0, "16384")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, headFields, IS_LONG, 0, "100")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, bodyBytes, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, requests, IS_LONG, 0, "10000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, interim, IS_LONG, 0, "16")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, headMs, IS_LONG, 0, "10000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, bodyMs, IS_LONG, 0, "60000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, answerMs, IS_LONG, 0, "60000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, idleMs, IS_LONG, 0, "60000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, tunnelMs, IS_LONG, 0, "3600000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, keepAliveMs, IS_LONG, 0, "75000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, poolSize, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, poolIdle, IS_LONG, 0, "64")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, poolIdleMs, IS_LONG, 0, "15000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, poolWaiting, IS_LONG, 0, "1024")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, poolWaitMs, IS_LONG, 0, "5000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, clientFinMs, IS_LONG, 0, "10000")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_Proxy_Forwarding___construct, 0, 0, 0)
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, xForwarded, Tusk\\Proxy\\Forward, 0, "Tusk\\Proxy\\Forward::Append")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, forwarded, Tusk\\Proxy\\Forward, 0, "Tusk\\Proxy\\Forward::Append")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, via, Tusk\\Proxy\\Forward, 0, "Tusk\\Proxy\\Forward::Append")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, viaName, IS_STRING, 0, "\"tusk\"")
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Proxy_Access___construct arginfo_class_Tusk_TlsInfo___construct

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_Proxy_Tcp___construct, 0, 0, 1)
	ZEND_ARG_OBJ_INFO(0, resolver, Tusk\\Proxy\\Resolver, 0)
	ZEND_ARG_TYPE_MASK(0, listen, MAY_BE_STRING|MAY_BE_ARRAY, "[]")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, sockmap, Tusk\\Proxy\\Sockmap, 0, "Tusk\\Proxy\\Sockmap::Off")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, validation, Tusk\\Proxy\\Validation, 1, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, engine, Tusk\\Proxy\\Engine, 0, "Tusk\\Proxy\\Engine::Splice")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, first, Tusk\\Proxy\\First, 0, "Tusk\\Proxy\\First::Wait")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, protocol, Tusk\\Proxy\\Protocol, 0, "Tusk\\Proxy\\Protocol::Auto")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, tls, Tusk\\Tls, 1, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, downstream, Tusk\\Proxy\\TlsMode, 0, "Tusk\\Proxy\\TlsMode::Allow")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, upstream, Tusk\\Proxy\\\125pstreamTls, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, trustedProxies, IS_ARRAY, 0, "[]")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, proxyProtocol, _IS_BOOL, 0, "false")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, limits, Tusk\\Proxy\\Limits, 1, "null")
	ZEND_ARG_TYPE_MASK(0, workers, MAY_BE_LONG|MAY_BE_STRING, "1")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, bpfObject, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, mysqlVersion, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, user, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, group, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Proxy_Tcp_listen, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, address, IS_STRING, 0)
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, first, Tusk\\Proxy\\First, 1, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, protocol, Tusk\\Proxy\\Protocol, 1, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, tls, Tusk\\Tls, 1, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, downstream, Tusk\\Proxy\\TlsMode, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, proxyProtocol, _IS_BOOL, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, mysqlVersion, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, waitMs, IS_LONG, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, connections, IS_LONG, 1, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Proxy_Tcp_admin arginfo_class_Tusk_Server_admin

#define arginfo_class_Tusk_Proxy_Tcp_onListen arginfo_class_Tusk_Server_onError

#define arginfo_class_Tusk_Proxy_Tcp_onStart arginfo_class_Tusk_Server_onError

#define arginfo_class_Tusk_Proxy_Tcp_onStop arginfo_class_Tusk_Server_onError

#define arginfo_class_Tusk_Proxy_Tcp_onError arginfo_class_Tusk_Server_onError

#define arginfo_class_Tusk_Proxy_Tcp_onAccess arginfo_class_Tusk_Server_onError

#define arginfo_class_Tusk_Proxy_Tcp_run arginfo_class_Tusk_Server_run

#define arginfo_class_Tusk_Proxy_Tcp_stop arginfo_class_Tusk_Server_stop

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Proxy_Tcp_resolver, 0, 1, IS_VOID, 0)
	ZEND_ARG_OBJ_INFO(0, resolver, Tusk\\Proxy\\Resolver, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Proxy_Tcp_reload arginfo_class_Tusk_Server_stop

#define arginfo_class_Tusk_Proxy_Tcp_forget arginfo_class_Tusk_Server_stop

#define arginfo_class_Tusk_Proxy_Tcp_stats arginfo_class_Tusk_Server_stats

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Proxy_Tcp_health, 0, 1, _IS_BOOL, 1)
	ZEND_ARG_TYPE_INFO(0, address, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Proxy_Tcp_engine arginfo_class_Tusk_Position___toString

#define arginfo_class_Tusk_Proxy_Tcp_worker arginfo_class_Tusk_Server_worker

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_Proxy_Http___construct, 0, 0, 1)
	ZEND_ARG_OBJ_INFO(0, resolver, Tusk\\Proxy\\Resolver, 0)
	ZEND_ARG_TYPE_MASK(0, listen, MAY_BE_STRING|MAY_BE_ARRAY, "[]")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, validation, Tusk\\Proxy\\Validation, 1, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, tls, Tusk\\Tls, 1, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, upstream, Tusk\\Proxy\\\125pstreamTls, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, trustedProxies, IS_ARRAY, 0, "[]")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, proxyProtocol, _IS_BOOL, 0, "false")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, limits, Tusk\\Proxy\\Limits, 1, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, http, Tusk\\Proxy\\HttpLimits, 1, "null")
	ZEND_ARG_TYPE_MASK(0, workers, MAY_BE_LONG|MAY_BE_STRING, "1")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, forwarding, Tusk\\Proxy\\Forwarding, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, user, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, group, IS_STRING, 1, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, engine, Tusk\\Proxy\\Engine, 0, "Tusk\\Proxy\\Engine::Splice")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, sockmap, Tusk\\Proxy\\Sockmap, 0, "Tusk\\Proxy\\Sockmap::Off")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, bpfObject, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Proxy_Http_listen, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, address, IS_STRING, 0)
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, tls, Tusk\\Tls, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, connections, IS_LONG, 1, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Proxy_Http_admin arginfo_class_Tusk_Server_admin

#define arginfo_class_Tusk_Proxy_Http_onListen arginfo_class_Tusk_Server_onError

#define arginfo_class_Tusk_Proxy_Http_onStart arginfo_class_Tusk_Server_onError

#define arginfo_class_Tusk_Proxy_Http_onStop arginfo_class_Tusk_Server_onError

#define arginfo_class_Tusk_Proxy_Http_onError arginfo_class_Tusk_Server_onError

#define arginfo_class_Tusk_Proxy_Http_onAccess arginfo_class_Tusk_Server_onError

#define arginfo_class_Tusk_Proxy_Http_run arginfo_class_Tusk_Server_run

#define arginfo_class_Tusk_Proxy_Http_stop arginfo_class_Tusk_Server_stop

#define arginfo_class_Tusk_Proxy_Http_resolver arginfo_class_Tusk_Proxy_Tcp_resolver

#define arginfo_class_Tusk_Proxy_Http_reload arginfo_class_Tusk_Server_stop

#define arginfo_class_Tusk_Proxy_Http_forget arginfo_class_Tusk_Server_stop

#define arginfo_class_Tusk_Proxy_Http_stats arginfo_class_Tusk_Server_stats

#define arginfo_class_Tusk_Proxy_Http_health arginfo_class_Tusk_Proxy_Tcp_health

#define arginfo_class_Tusk_Proxy_Http_engine arginfo_class_Tusk_Position___toString

#define arginfo_class_Tusk_Proxy_Http_worker arginfo_class_Tusk_Server_worker

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_Proxy_Smtp___construct, 0, 0, 1)
	ZEND_ARG_OBJ_INFO(0, resolver, Tusk\\Proxy\\Resolver, 0)
	ZEND_ARG_TYPE_MASK(0, listen, MAY_BE_STRING|MAY_BE_ARRAY, "[]")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, validation, Tusk\\Proxy\\Validation, 1, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, tls, Tusk\\Tls, 1, "null")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, downstream, Tusk\\Proxy\\TlsMode, 0, "Tusk\\Proxy\\TlsMode::Allow")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, upstream, Tusk\\Proxy\\\125pstreamTls, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, trustedProxies, IS_ARRAY, 0, "[]")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, proxyProtocol, _IS_BOOL, 0, "false")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, limits, Tusk\\Proxy\\Limits, 1, "null")
	ZEND_ARG_TYPE_MASK(0, workers, MAY_BE_LONG|MAY_BE_STRING, "1")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, user, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, group, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Proxy_Smtp_listen arginfo_class_Tusk_Proxy_Http_listen

#define arginfo_class_Tusk_Proxy_Smtp_admin arginfo_class_Tusk_Server_admin

#define arginfo_class_Tusk_Proxy_Smtp_onListen arginfo_class_Tusk_Server_onError

#define arginfo_class_Tusk_Proxy_Smtp_onStart arginfo_class_Tusk_Server_onError

#define arginfo_class_Tusk_Proxy_Smtp_onStop arginfo_class_Tusk_Server_onError

#define arginfo_class_Tusk_Proxy_Smtp_onError arginfo_class_Tusk_Server_onError

#define arginfo_class_Tusk_Proxy_Smtp_onAccess arginfo_class_Tusk_Server_onError

#define arginfo_class_Tusk_Proxy_Smtp_run arginfo_class_Tusk_Server_run

#define arginfo_class_Tusk_Proxy_Smtp_stop arginfo_class_Tusk_Server_stop

#define arginfo_class_Tusk_Proxy_Smtp_resolver arginfo_class_Tusk_Proxy_Tcp_resolver

#define arginfo_class_Tusk_Proxy_Smtp_reload arginfo_class_Tusk_Server_stop

#define arginfo_class_Tusk_Proxy_Smtp_forget arginfo_class_Tusk_Server_stop

#define arginfo_class_Tusk_Proxy_Smtp_stats arginfo_class_Tusk_Server_stats

#define arginfo_class_Tusk_Proxy_Smtp_health arginfo_class_Tusk_Proxy_Tcp_health

#define arginfo_class_Tusk_Proxy_Smtp_engine arginfo_class_Tusk_Position___toString

#define arginfo_class_Tusk_Proxy_Smtp_worker arginfo_class_Tusk_Server_worker

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_Testing_Loopback___construct, 0, 0, 1)
	ZEND_ARG_OBJ_TYPE_MASK(0, server, Tusk\\Server|Tusk\\WebSocket\\Server, 0, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Testing_Loopback_connect, 0, 0, Tusk\\Testing\\LoopbackClient, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, path, IS_STRING, 0, "\"/\"")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, headers, IS_ARRAY, 0, "[]")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, subprotocols, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Testing_Loopback_events, 0, 0, Tusk\\Testing\\LoopbackStream, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, path, IS_STRING, 0, "\"/\"")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, headers, IS_ARRAY, 0, "[]")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, lastEventId, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Testing_Loopback_request, 0, 2, Tusk\\Http\\ClientResponse, 0)
	ZEND_ARG_TYPE_INFO(0, method, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, target, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, headers, IS_ARRAY, 0, "[]")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, body, IS_STRING, 0, "\"\"")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Testing_Loopback_raw, 0, 1, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, bytes, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Testing_Loopback_settle, 0, 0, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, seconds, IS_DOUBLE, 0, "1.0")
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Testing_LoopbackClient___construct arginfo_class_Tusk_TlsInfo___construct

#define arginfo_class_Tusk_Testing_LoopbackClient_send arginfo_class_Tusk_WebSocket_Connection_send

#define arginfo_class_Tusk_Testing_LoopbackClient_receive arginfo_class_Tusk_Sse_Client_lastError

#define arginfo_class_Tusk_Testing_LoopbackClient_lastType arginfo_class_Tusk_WebSocket_Client_lastType

#define arginfo_class_Tusk_Testing_LoopbackClient_close arginfo_class_Tusk_WebSocket_Connection_close

#define arginfo_class_Tusk_Testing_LoopbackClient_closeCode arginfo_class_Tusk_Server_worker

#define arginfo_class_Tusk_Testing_LoopbackStream___construct arginfo_class_Tusk_TlsInfo___construct

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Testing_LoopbackStream_receive, 0, 0, Tusk\\Sse\\Event, 1)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Testing_LoopbackStream_isOpen arginfo_class_Tusk_Wait_parks

#define arginfo_class_Tusk_Testing_LoopbackStream_close arginfo_class_Tusk_Server_stop

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Parallel_Engine_submit, 0, 1, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO(0, jobs, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, deadline, IS_DOUBLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, retry, IS_LONG, 0, "0")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_class_Tusk_Parallel_Engine_wait, 0, 1, MAY_BE_LONG|MAY_BE_STRING|MAY_BE_NULL)
	ZEND_ARG_TYPE_INFO(0, tasks, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, timeout, IS_DOUBLE, 1, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Parallel_Engine_stats arginfo_class_Tusk_Server_stats

#define arginfo_class_Tusk_Parallel_Engine_close arginfo_class_Tusk_Server_stop

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_Parallel_Pool___construct, 0, 0, 0)
	ZEND_ARG_TYPE_MASK(0, workers, MAY_BE_LONG|MAY_BE_STRING, "\'auto\'")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, max, IS_LONG, 0, "32")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, bootstrap, Closure, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, tasksPerWorker, IS_LONG, 0, "10000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, memory, IS_STRING, 0, "\'128M\'")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, maxAge, IS_DOUBLE, 0, "3600.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, queue, IS_LONG, 0, "1024")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, onFull, Tusk\\Parallel\\OnFull, 0, "Tusk\\Parallel\\OnFull::Wait")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, classes, IS_ARRAY, 0, "[]")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, template, Tusk\\Parallel\\Template, 0, "Tusk\\Parallel\\Template::Fork")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Parallel_Pool_task, 0, 1, Tusk\\Parallel\\Task, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, job, Closure, MAY_BE_ARRAY|MAY_BE_STRING, NULL)
	ZEND_ARG_VARIADIC_TYPE_INFO(0, args, IS_MIXED, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Parallel_Pool_run, 0, 1, IS_MIXED, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, job, Closure, MAY_BE_ARRAY|MAY_BE_STRING, NULL)
	ZEND_ARG_VARIADIC_TYPE_INFO(0, args, IS_MIXED, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Parallel_Pool_submit arginfo_class_Tusk_Parallel_Engine_submit

#define arginfo_class_Tusk_Parallel_Pool_wait arginfo_class_Tusk_Parallel_Engine_wait

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Parallel_Pool_expect, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, tasks, IS_LONG, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Parallel_Pool_reload arginfo_class_Tusk_Server_stop

#define arginfo_class_Tusk_Parallel_Pool_stats arginfo_class_Tusk_Server_stats

#define arginfo_class_Tusk_Parallel_Pool_close arginfo_class_Tusk_Server_stop

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Parallel_Pool_current, 0, 0, Tusk\\Parallel\\Pool, 1)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Parallel_Pool_template, 0, 1, IS_NEVER, 0)
	ZEND_ARG_TYPE_INFO(0, where, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_Parallel_Sync___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, classes, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Parallel_Sync_submit arginfo_class_Tusk_Parallel_Engine_submit

#define arginfo_class_Tusk_Parallel_Sync_wait arginfo_class_Tusk_Parallel_Engine_wait

#define arginfo_class_Tusk_Parallel_Sync_stats arginfo_class_Tusk_Server_stats

#define arginfo_class_Tusk_Parallel_Sync_close arginfo_class_Tusk_Server_stop

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_Parallel_Async___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, concurrency, IS_LONG, 0, "1000")
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Parallel_Async_submit arginfo_class_Tusk_Parallel_Engine_submit

#define arginfo_class_Tusk_Parallel_Async_wait arginfo_class_Tusk_Parallel_Engine_wait

#define arginfo_class_Tusk_Parallel_Async_stats arginfo_class_Tusk_Server_stats

#define arginfo_class_Tusk_Parallel_Async_close arginfo_class_Tusk_Server_stop

#define arginfo_class_Tusk_Parallel_Task___construct arginfo_class_Tusk_TlsInfo___construct

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Parallel_Task_await, 0, 0, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, timeout, IS_DOUBLE, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Parallel_Task_error, 0, 0, Throwable, 1)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Parallel_Task_cancel arginfo_class_Tusk_Wait_parks

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Parallel_Task_state, 0, 0, Tusk\\Parallel\\State, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Parallel_Task_output arginfo_class_Tusk_Position___toString

#define arginfo_class_Tusk_Parallel_Task_stats arginfo_class_Tusk_Server_stats

#define arginfo_class_Tusk_Parallel_Task_stopping arginfo_class_Tusk_Wait_parks

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Bench_Load_options, 0, 1, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO(0, mode, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_Bench_Load___construct, 0, 0, 2)
	ZEND_ARG_TYPE_INFO(0, mode, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, url, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, options, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Bench_Load_start arginfo_class_Tusk_Server_stop

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Bench_Load_poll, 0, 0, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, seconds, IS_DOUBLE, 0, "0.25")
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Bench_Load_stop arginfo_class_Tusk_Server_stop

#define arginfo_class_Tusk_Bench_Load_partial arginfo_class_Tusk_Wait_parks

#define arginfo_class_Tusk_Bench_Load_phase arginfo_class_Tusk_Position___toString

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Bench_Load_counters, 0, 0, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, measured, _IS_BOOL, 0, "false")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Bench_Load_histogram, 0, 1, Tusk\\Bench\\Histogram, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Bench_Load_intervals arginfo_class_Tusk_Server_stats

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Bench_Load_samples, 0, 0, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, offset, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, limit, IS_LONG, 0, "10000")
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Bench_Load_workers arginfo_class_Tusk_Server_stats

#define arginfo_class_Tusk_Bench_Load_facts arginfo_class_Tusk_Server_stats

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_Bench_Histogram___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, lowest, IS_LONG, 0, "1")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, highest, IS_LONG, 0, "3600000000000")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, digits, IS_LONG, 0, "3")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Bench_Histogram_record, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, count, IS_LONG, 0, "1")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Bench_Histogram_merge, 0, 1, IS_VOID, 0)
	ZEND_ARG_OBJ_INFO(0, other, Tusk\\Bench\\Histogram, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Bench_Histogram_count arginfo_class_Tusk_Server_run

#define arginfo_class_Tusk_Bench_Histogram_saturated arginfo_class_Tusk_Server_run

#define arginfo_class_Tusk_Bench_Histogram_min arginfo_class_Tusk_Server_run

#define arginfo_class_Tusk_Bench_Histogram_max arginfo_class_Tusk_Server_run

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Bench_Histogram_mean, 0, 0, IS_DOUBLE, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Bench_Histogram_stddev arginfo_class_Tusk_Bench_Histogram_mean

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Bench_Histogram_percentile, 0, 1, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, percentile, IS_DOUBLE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Tusk_Bench_Histogram_supports, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, percentile, IS_DOUBLE, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Bench_Histogram_encode arginfo_class_Tusk_Position___toString

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Tusk_Bench_Histogram_decode, 0, 1, Tusk\\Bench\\Histogram, 0)
	ZEND_ARG_TYPE_INFO(0, bytes, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Bench_Histogram_slots arginfo_class_Tusk_Server_stats

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Tusk_Bench_EchoServer___construct, 0, 0, 1)
	ZEND_ARG_TYPE_INFO(0, kind, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, processes, IS_LONG, 0, "1")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, host, IS_STRING, 0, "\"127.0.0.1\"")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, port, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, options, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

#define arginfo_class_Tusk_Bench_EchoServer_port arginfo_class_Tusk_Server_run

#define arginfo_class_Tusk_Bench_EchoServer_pids arginfo_class_Tusk_Server_stats

#define arginfo_class_Tusk_Bench_EchoServer_stop arginfo_class_Tusk_Server_stop


ZEND_METHOD(Tusk_Position, __construct);
ZEND_METHOD(Tusk_Position, __toString);
ZEND_METHOD(Tusk_Position, jsonSerialize);
ZEND_METHOD(Tusk_Tls, __construct);
ZEND_METHOD(Tusk_TlsInfo, __construct);
ZEND_METHOD(Tusk_Certificate, __construct);
ZEND_METHOD(Tusk_Limits, __construct);
ZEND_METHOD(Tusk_Server, __construct);
ZEND_METHOD(Tusk_Server, listen);
ZEND_METHOD(Tusk_Server, websocket);
ZEND_METHOD(Tusk_Server, events);
ZEND_METHOD(Tusk_Server, get);
ZEND_METHOD(Tusk_Server, post);
ZEND_METHOD(Tusk_Server, put);
ZEND_METHOD(Tusk_Server, patch);
ZEND_METHOD(Tusk_Server, delete);
ZEND_METHOD(Tusk_Server, options);
ZEND_METHOD(Tusk_Server, fallback);
ZEND_METHOD(Tusk_Server, allowed);
ZEND_METHOD(Tusk_Server, files);
ZEND_METHOD(Tusk_Server, admin);
ZEND_METHOD(Tusk_Server, onError);
ZEND_METHOD(Tusk_Server, onListen);
ZEND_METHOD(Tusk_Server, onStart);
ZEND_METHOD(Tusk_Server, onStop);
ZEND_METHOD(Tusk_Server, publish);
ZEND_METHOD(Tusk_Server, subscribers);
ZEND_METHOD(Tusk_Server, position);
ZEND_METHOD(Tusk_Server, run);
ZEND_METHOD(Tusk_Server, stop);
ZEND_METHOD(Tusk_Server, worker);
ZEND_METHOD(Tusk_Server, reloadCertificates);
ZEND_METHOD(Tusk_Server, stats);
ZEND_METHOD(Tusk_Server, getDriver);
ZEND_METHOD(Tusk_Timer, __construct);
ZEND_METHOD(Tusk_Timer, delay);
ZEND_METHOD(Tusk_Timer, repeat);
ZEND_METHOD(Tusk_Timer, defer);
ZEND_METHOD(Tusk_Timer, cancel);
ZEND_METHOD(Tusk_Timer, sleep);
ZEND_METHOD(Tusk_Wait, __construct);
ZEND_METHOD(Tusk_Wait, readable);
ZEND_METHOD(Tusk_Wait, writable);
ZEND_METHOD(Tusk_Wait, curl);
ZEND_METHOD(Tusk_Wait, parks);
ZEND_METHOD(Tusk_Watch, __construct);
ZEND_METHOD(Tusk_Watch, onReadable);
ZEND_METHOD(Tusk_Watch, onWritable);
ZEND_METHOD(Tusk_Watch, onSignal);
ZEND_METHOD(Tusk_Watch, enable);
ZEND_METHOD(Tusk_Watch, disable);
ZEND_METHOD(Tusk_Watch, cancel);
ZEND_METHOD(Tusk_Condition, wait);
ZEND_METHOD(Tusk_Condition, notify);
ZEND_METHOD(Tusk_Scope, __construct);
ZEND_METHOD(Tusk_Scope, current);
ZEND_METHOD(Tusk_Http_Request, __construct);
ZEND_METHOD(Tusk_Http_Request, header);
ZEND_METHOD(Tusk_Http_Request, query);
ZEND_METHOD(Tusk_Http_Request, queryAll);
ZEND_METHOD(Tusk_Http_Request, queryValues);
ZEND_METHOD(Tusk_Http_Request, cookie);
ZEND_METHOD(Tusk_Http_Request, form);
ZEND_METHOD(Tusk_Http_Request, formAll);
ZEND_METHOD(Tusk_Http_Request, file);
ZEND_METHOD(Tusk_Http_Request, files);
ZEND_METHOD(Tusk_Http_Request, json);
ZEND_METHOD(Tusk_Http_Request, tls);
ZEND_METHOD(Tusk_Http_UploadedFile, __construct);
ZEND_METHOD(Tusk_Http_UploadedFile, contents);
ZEND_METHOD(Tusk_Http_UploadedFile, stream);
ZEND_METHOD(Tusk_Http_Response, __construct);
ZEND_METHOD(Tusk_Http_Response, text);
ZEND_METHOD(Tusk_Http_Response, html);
ZEND_METHOD(Tusk_Http_Response, json);
ZEND_METHOD(Tusk_Http_Response, file);
ZEND_METHOD(Tusk_Http_Response, redirect);
ZEND_METHOD(Tusk_Http_Response, stream);
ZEND_METHOD(Tusk_Http_Response, withHeader);
ZEND_METHOD(Tusk_Http_Response, withAddedHeader);
ZEND_METHOD(Tusk_Http_Response, withoutHeader);
ZEND_METHOD(Tusk_Http_Response, withStatus);
ZEND_METHOD(Tusk_Http_Response, withBody);
ZEND_METHOD(Tusk_Http_Response, withCookie);
ZEND_METHOD(Tusk_Http_Client, __construct);
ZEND_METHOD(Tusk_Http_Client, request);
ZEND_METHOD(Tusk_Http_Client, get);
ZEND_METHOD(Tusk_Http_Client, post);
ZEND_METHOD(Tusk_Http_ClientResponse, __construct);
ZEND_METHOD(Tusk_Http_ClientResponse, header);
ZEND_METHOD(Tusk_Http_ClientResponse, headerValues);
ZEND_METHOD(Tusk_Http_ClientResponse, json);
ZEND_METHOD(Tusk_Sse_EventStream, __construct);
ZEND_METHOD(Tusk_Sse_EventStream, header);
ZEND_METHOD(Tusk_Sse_EventStream, query);
ZEND_METHOD(Tusk_Sse_EventStream, queryValues);
ZEND_METHOD(Tusk_Sse_EventStream, cookie);
ZEND_METHOD(Tusk_Sse_EventStream, send);
ZEND_METHOD(Tusk_Sse_EventStream, comment);
ZEND_METHOD(Tusk_Sse_EventStream, retry);
ZEND_METHOD(Tusk_Sse_EventStream, subscribe);
ZEND_METHOD(Tusk_Sse_EventStream, unsubscribe);
ZEND_METHOD(Tusk_Sse_EventStream, close);
ZEND_METHOD(Tusk_Sse_EventStream, isOpen);
ZEND_METHOD(Tusk_Sse_EventStream, bufferedBytes);
ZEND_METHOD(Tusk_Sse_EventStream, tls);
ZEND_METHOD(Tusk_Sse_Event, __construct);
ZEND_METHOD(Tusk_Sse_Client, __construct);
ZEND_METHOD(Tusk_Sse_Client, receive);
ZEND_METHOD(Tusk_Sse_Client, getIterator);
ZEND_METHOD(Tusk_Sse_Client, state);
ZEND_METHOD(Tusk_Sse_Client, lastEventId);
ZEND_METHOD(Tusk_Sse_Client, lastError);
ZEND_METHOD(Tusk_Sse_Client, close);
ZEND_METHOD(Tusk_WebSocket_ServerOptions, __construct);
ZEND_METHOD(Tusk_WebSocket_Deflate, __construct);
ZEND_METHOD(Tusk_WebSocket_Server, __construct);
ZEND_METHOD(Tusk_WebSocket_Server, listen);
ZEND_METHOD(Tusk_WebSocket_Server, subprotocols);
ZEND_METHOD(Tusk_WebSocket_Server, deflate);
ZEND_METHOD(Tusk_WebSocket_Server, tls);
ZEND_METHOD(Tusk_WebSocket_Server, onHandshake);
ZEND_METHOD(Tusk_WebSocket_Server, onOpen);
ZEND_METHOD(Tusk_WebSocket_Server, onMessage);
ZEND_METHOD(Tusk_WebSocket_Server, onClose);
ZEND_METHOD(Tusk_WebSocket_Server, onError);
ZEND_METHOD(Tusk_WebSocket_Server, onStart);
ZEND_METHOD(Tusk_WebSocket_Server, publish);
ZEND_METHOD(Tusk_WebSocket_Server, run);
ZEND_METHOD(Tusk_WebSocket_Server, stop);
ZEND_METHOD(Tusk_WebSocket_Server, getDriver);
ZEND_METHOD(Tusk_WebSocket_Server, stats);
ZEND_METHOD(Tusk_WebSocket_Request, __construct);
ZEND_METHOD(Tusk_WebSocket_Request, header);
ZEND_METHOD(Tusk_WebSocket_Request, tls);
ZEND_METHOD(Tusk_WebSocket_HandshakeResponse, __construct);
ZEND_METHOD(Tusk_WebSocket_HandshakeException, __construct);
ZEND_METHOD(Tusk_WebSocket_Connection, __construct);
ZEND_METHOD(Tusk_WebSocket_Connection, send);
ZEND_METHOD(Tusk_WebSocket_Connection, close);
ZEND_METHOD(Tusk_WebSocket_Connection, isOpen);
ZEND_METHOD(Tusk_WebSocket_Connection, terminate);
ZEND_METHOD(Tusk_WebSocket_Connection, ping);
ZEND_METHOD(Tusk_WebSocket_Connection, subscribe);
ZEND_METHOD(Tusk_WebSocket_Connection, unsubscribe);
ZEND_METHOD(Tusk_WebSocket_Connection, publish);
ZEND_METHOD(Tusk_WebSocket_Connection, bufferedBytes);
ZEND_METHOD(Tusk_WebSocket_Connection, tls);
ZEND_METHOD(Tusk_WebSocket_Connection, query);
ZEND_METHOD(Tusk_WebSocket_Connection, queryValues);
ZEND_METHOD(Tusk_WebSocket_Connection, getIterator);
ZEND_METHOD(Tusk_WebSocket_Messages, __construct);
ZEND_METHOD(Tusk_WebSocket_Messages, current);
ZEND_METHOD(Tusk_WebSocket_Messages, key);
ZEND_METHOD(Tusk_WebSocket_Messages, next);
ZEND_METHOD(Tusk_WebSocket_Messages, rewind);
ZEND_METHOD(Tusk_WebSocket_Messages, valid);
ZEND_METHOD(Tusk_WebSocket_Frame, __construct);
ZEND_METHOD(Tusk_WebSocket_CloseFrame, __construct);
ZEND_METHOD(Tusk_WebSocket_Protocol, __construct);
ZEND_METHOD(Tusk_WebSocket_Protocol, acceptKey);
ZEND_METHOD(Tusk_WebSocket_Protocol, encode);
ZEND_METHOD(Tusk_WebSocket_Protocol, decode);
ZEND_METHOD(Tusk_WebSocket_Protocol, pack);
ZEND_METHOD(Tusk_WebSocket_Protocol, unpack);
ZEND_METHOD(Tusk_WebSocket_Frames, __construct);
ZEND_METHOD(Tusk_WebSocket_Frames, push);
ZEND_METHOD(Tusk_WebSocket_Frames, next);
ZEND_METHOD(Tusk_WebSocket_Frames, bufferedBytes);
ZEND_METHOD(Tusk_WebSocket_Client, __construct);
ZEND_METHOD(Tusk_WebSocket_Client, send);
ZEND_METHOD(Tusk_WebSocket_Client, receive);
ZEND_METHOD(Tusk_WebSocket_Client, lastType);
ZEND_METHOD(Tusk_WebSocket_Client, ping);
ZEND_METHOD(Tusk_WebSocket_Client, close);
ZEND_METHOD(Tusk_WebSocket_Client, isOpen);
ZEND_METHOD(Tusk_WebSocket_Client, lastError);
ZEND_METHOD(Tusk_WebSocket_Client, getIterator);
ZEND_METHOD(Tusk_Proxy_Target, __construct);
ZEND_METHOD(Tusk_Proxy_UpstreamTls, __construct);
ZEND_METHOD(Tusk_Proxy_Route, __construct);
ZEND_METHOD(Tusk_Proxy_Route, to);
ZEND_METHOD(Tusk_Proxy_Route, respond);
ZEND_METHOD(Tusk_Proxy_Refused, __construct);
ZEND_METHOD(Tusk_Proxy_Lookup, __construct);
ZEND_METHOD(Tusk_Proxy_Lookup, of);
ZEND_METHOD(Tusk_Proxy_Lookup, fieldsRead);
ZEND_METHOD(Tusk_Proxy_Validation, __construct);
ZEND_METHOD(Tusk_Proxy_Validation, publicOnly);
ZEND_METHOD(Tusk_Proxy_Validation, none);
ZEND_METHOD(Tusk_Proxy_Validation, allow);
ZEND_METHOD(Tusk_Proxy_Limits, __construct);
ZEND_METHOD(Tusk_Proxy_HttpLimits, __construct);
ZEND_METHOD(Tusk_Proxy_Forwarding, __construct);
ZEND_METHOD(Tusk_Proxy_Access, __construct);
ZEND_METHOD(Tusk_Proxy_Tcp, __construct);
ZEND_METHOD(Tusk_Proxy_Tcp, listen);
ZEND_METHOD(Tusk_Proxy_Tcp, admin);
ZEND_METHOD(Tusk_Proxy_Tcp, onListen);
ZEND_METHOD(Tusk_Proxy_Tcp, onStart);
ZEND_METHOD(Tusk_Proxy_Tcp, onStop);
ZEND_METHOD(Tusk_Proxy_Tcp, onError);
ZEND_METHOD(Tusk_Proxy_Tcp, onAccess);
ZEND_METHOD(Tusk_Proxy_Tcp, run);
ZEND_METHOD(Tusk_Proxy_Tcp, stop);
ZEND_METHOD(Tusk_Proxy_Tcp, resolver);
ZEND_METHOD(Tusk_Proxy_Tcp, reload);
ZEND_METHOD(Tusk_Proxy_Tcp, forget);
ZEND_METHOD(Tusk_Proxy_Tcp, stats);
ZEND_METHOD(Tusk_Proxy_Tcp, health);
ZEND_METHOD(Tusk_Proxy_Tcp, engine);
ZEND_METHOD(Tusk_Proxy_Tcp, worker);
ZEND_METHOD(Tusk_Proxy_Http, __construct);
ZEND_METHOD(Tusk_Proxy_Smtp, listen);
ZEND_METHOD(Tusk_Proxy_Smtp, __construct);
ZEND_METHOD(Tusk_Testing_Loopback, __construct);
ZEND_METHOD(Tusk_Testing_Loopback, connect);
ZEND_METHOD(Tusk_Testing_Loopback, events);
ZEND_METHOD(Tusk_Testing_Loopback, request);
ZEND_METHOD(Tusk_Testing_Loopback, raw);
ZEND_METHOD(Tusk_Testing_Loopback, settle);
ZEND_METHOD(Tusk_Testing_LoopbackClient, __construct);
ZEND_METHOD(Tusk_Testing_LoopbackClient, send);
ZEND_METHOD(Tusk_Testing_LoopbackClient, receive);
ZEND_METHOD(Tusk_Testing_LoopbackClient, lastType);
ZEND_METHOD(Tusk_Testing_LoopbackClient, close);
ZEND_METHOD(Tusk_Testing_LoopbackClient, closeCode);
ZEND_METHOD(Tusk_Testing_LoopbackStream, __construct);
ZEND_METHOD(Tusk_Testing_LoopbackStream, receive);
ZEND_METHOD(Tusk_Testing_LoopbackStream, isOpen);
ZEND_METHOD(Tusk_Testing_LoopbackStream, close);
ZEND_METHOD(Tusk_Parallel_Pool, __construct);
ZEND_METHOD(Tusk_Parallel_Pool, task);
ZEND_METHOD(Tusk_Parallel_Pool, run);
ZEND_METHOD(Tusk_Parallel_Pool, submit);
ZEND_METHOD(Tusk_Parallel_Pool, wait);
ZEND_METHOD(Tusk_Parallel_Pool, expect);
ZEND_METHOD(Tusk_Parallel_Pool, reload);
ZEND_METHOD(Tusk_Parallel_Pool, stats);
ZEND_METHOD(Tusk_Parallel_Pool, close);
ZEND_METHOD(Tusk_Parallel_Pool, current);
ZEND_METHOD(Tusk_Parallel_Pool, template);
ZEND_METHOD(Tusk_Parallel_Sync, __construct);
ZEND_METHOD(Tusk_Parallel_Sync, submit);
ZEND_METHOD(Tusk_Parallel_Sync, wait);
ZEND_METHOD(Tusk_Parallel_Sync, stats);
ZEND_METHOD(Tusk_Parallel_Sync, close);
ZEND_METHOD(Tusk_Parallel_Async, __construct);
ZEND_METHOD(Tusk_Parallel_Async, submit);
ZEND_METHOD(Tusk_Parallel_Async, wait);
ZEND_METHOD(Tusk_Parallel_Async, stats);
ZEND_METHOD(Tusk_Parallel_Async, close);
ZEND_METHOD(Tusk_Parallel_Task, __construct);
ZEND_METHOD(Tusk_Parallel_Task, await);
ZEND_METHOD(Tusk_Parallel_Task, error);
ZEND_METHOD(Tusk_Parallel_Task, cancel);
ZEND_METHOD(Tusk_Parallel_Task, state);
ZEND_METHOD(Tusk_Parallel_Task, output);
ZEND_METHOD(Tusk_Parallel_Task, stats);
ZEND_METHOD(Tusk_Parallel_Task, stopping);
ZEND_METHOD(Tusk_Bench_Load, options);
ZEND_METHOD(Tusk_Bench_Load, __construct);
ZEND_METHOD(Tusk_Bench_Load, start);
ZEND_METHOD(Tusk_Bench_Load, poll);
ZEND_METHOD(Tusk_Bench_Load, stop);
ZEND_METHOD(Tusk_Bench_Load, partial);
ZEND_METHOD(Tusk_Bench_Load, phase);
ZEND_METHOD(Tusk_Bench_Load, counters);
ZEND_METHOD(Tusk_Bench_Load, histogram);
ZEND_METHOD(Tusk_Bench_Load, intervals);
ZEND_METHOD(Tusk_Bench_Load, samples);
ZEND_METHOD(Tusk_Bench_Load, workers);
ZEND_METHOD(Tusk_Bench_Load, facts);
ZEND_METHOD(Tusk_Bench_Histogram, __construct);
ZEND_METHOD(Tusk_Bench_Histogram, record);
ZEND_METHOD(Tusk_Bench_Histogram, merge);
ZEND_METHOD(Tusk_Bench_Histogram, count);
ZEND_METHOD(Tusk_Bench_Histogram, saturated);
ZEND_METHOD(Tusk_Bench_Histogram, min);
ZEND_METHOD(Tusk_Bench_Histogram, max);
ZEND_METHOD(Tusk_Bench_Histogram, mean);
ZEND_METHOD(Tusk_Bench_Histogram, stddev);
ZEND_METHOD(Tusk_Bench_Histogram, percentile);
ZEND_METHOD(Tusk_Bench_Histogram, supports);
ZEND_METHOD(Tusk_Bench_Histogram, encode);
ZEND_METHOD(Tusk_Bench_Histogram, decode);
ZEND_METHOD(Tusk_Bench_Histogram, slots);
ZEND_METHOD(Tusk_Bench_EchoServer, __construct);
ZEND_METHOD(Tusk_Bench_EchoServer, port);
ZEND_METHOD(Tusk_Bench_EchoServer, pids);
ZEND_METHOD(Tusk_Bench_EchoServer, stop);


static const zend_function_entry class_Tusk_Exception_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Overflow_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Position_methods[] = {
	ZEND_ME(Tusk_Position, __construct, arginfo_class_Tusk_Position___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Position, __toString, arginfo_class_Tusk_Position___toString, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Position, jsonSerialize, arginfo_class_Tusk_Position_jsonSerialize, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Tls_methods[] = {
	ZEND_ME(Tusk_Tls, __construct, arginfo_class_Tusk_Tls___construct, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_TlsInfo_methods[] = {
	ZEND_ME(Tusk_TlsInfo, __construct, arginfo_class_Tusk_TlsInfo___construct, ZEND_ACC_PRIVATE)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Certificate_methods[] = {
	ZEND_ME(Tusk_Certificate, __construct, arginfo_class_Tusk_Certificate___construct, ZEND_ACC_PRIVATE)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Limits_methods[] = {
	ZEND_ME(Tusk_Limits, __construct, arginfo_class_Tusk_Limits___construct, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Server_methods[] = {
	ZEND_ME(Tusk_Server, __construct, arginfo_class_Tusk_Server___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, listen, arginfo_class_Tusk_Server_listen, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, websocket, arginfo_class_Tusk_Server_websocket, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, events, arginfo_class_Tusk_Server_events, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, get, arginfo_class_Tusk_Server_get, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, post, arginfo_class_Tusk_Server_post, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, put, arginfo_class_Tusk_Server_put, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, patch, arginfo_class_Tusk_Server_patch, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, delete, arginfo_class_Tusk_Server_delete, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, options, arginfo_class_Tusk_Server_options, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, fallback, arginfo_class_Tusk_Server_fallback, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, allowed, arginfo_class_Tusk_Server_allowed, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, files, arginfo_class_Tusk_Server_files, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, admin, arginfo_class_Tusk_Server_admin, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, onError, arginfo_class_Tusk_Server_onError, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, onListen, arginfo_class_Tusk_Server_onListen, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, onStart, arginfo_class_Tusk_Server_onStart, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, onStop, arginfo_class_Tusk_Server_onStop, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, publish, arginfo_class_Tusk_Server_publish, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, subscribers, arginfo_class_Tusk_Server_subscribers, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, position, arginfo_class_Tusk_Server_position, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, run, arginfo_class_Tusk_Server_run, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, stop, arginfo_class_Tusk_Server_stop, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, worker, arginfo_class_Tusk_Server_worker, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, reloadCertificates, arginfo_class_Tusk_Server_reloadCertificates, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, stats, arginfo_class_Tusk_Server_stats, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Server, getDriver, arginfo_class_Tusk_Server_getDriver, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Timer_methods[] = {
	ZEND_ME(Tusk_Timer, __construct, arginfo_class_Tusk_Timer___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Tusk_Timer, delay, arginfo_class_Tusk_Timer_delay, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_Timer, repeat, arginfo_class_Tusk_Timer_repeat, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_Timer, defer, arginfo_class_Tusk_Timer_defer, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_Timer, cancel, arginfo_class_Tusk_Timer_cancel, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_Timer, sleep, arginfo_class_Tusk_Timer_sleep, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Wait_methods[] = {
	ZEND_ME(Tusk_Wait, __construct, arginfo_class_Tusk_Wait___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Tusk_Wait, readable, arginfo_class_Tusk_Wait_readable, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_Wait, writable, arginfo_class_Tusk_Wait_writable, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_Wait, curl, arginfo_class_Tusk_Wait_curl, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_Wait, parks, arginfo_class_Tusk_Wait_parks, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Watch_methods[] = {
	ZEND_ME(Tusk_Watch, __construct, arginfo_class_Tusk_Watch___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Tusk_Watch, onReadable, arginfo_class_Tusk_Watch_onReadable, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_Watch, onWritable, arginfo_class_Tusk_Watch_onWritable, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_Watch, onSignal, arginfo_class_Tusk_Watch_onSignal, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_Watch, enable, arginfo_class_Tusk_Watch_enable, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_Watch, disable, arginfo_class_Tusk_Watch_disable, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_Watch, cancel, arginfo_class_Tusk_Watch_cancel, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Condition_methods[] = {
	ZEND_ME(Tusk_Condition, wait, arginfo_class_Tusk_Condition_wait, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Condition, notify, arginfo_class_Tusk_Condition_notify, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Scope_methods[] = {
	ZEND_ME(Tusk_Scope, __construct, arginfo_class_Tusk_Scope___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Tusk_Scope, current, arginfo_class_Tusk_Scope_current, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Http_Request_methods[] = {
	ZEND_ME(Tusk_Http_Request, __construct, arginfo_class_Tusk_Http_Request___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Tusk_Http_Request, header, arginfo_class_Tusk_Http_Request_header, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Http_Request, query, arginfo_class_Tusk_Http_Request_query, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Http_Request, queryAll, arginfo_class_Tusk_Http_Request_queryAll, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Http_Request, queryValues, arginfo_class_Tusk_Http_Request_queryValues, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Http_Request, cookie, arginfo_class_Tusk_Http_Request_cookie, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Http_Request, form, arginfo_class_Tusk_Http_Request_form, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Http_Request, formAll, arginfo_class_Tusk_Http_Request_formAll, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Http_Request, file, arginfo_class_Tusk_Http_Request_file, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Http_Request, files, arginfo_class_Tusk_Http_Request_files, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Http_Request, json, arginfo_class_Tusk_Http_Request_json, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Http_Request, tls, arginfo_class_Tusk_Http_Request_tls, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Http_InvalidJson_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Http_UploadedFile_methods[] = {
	ZEND_ME(Tusk_Http_UploadedFile, __construct, arginfo_class_Tusk_Http_UploadedFile___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Tusk_Http_UploadedFile, contents, arginfo_class_Tusk_Http_UploadedFile_contents, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Http_UploadedFile, stream, arginfo_class_Tusk_Http_UploadedFile_stream, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Http_Response_methods[] = {
	ZEND_ME(Tusk_Http_Response, __construct, arginfo_class_Tusk_Http_Response___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Http_Response, text, arginfo_class_Tusk_Http_Response_text, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_Http_Response, html, arginfo_class_Tusk_Http_Response_html, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_Http_Response, json, arginfo_class_Tusk_Http_Response_json, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_Http_Response, file, arginfo_class_Tusk_Http_Response_file, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_Http_Response, redirect, arginfo_class_Tusk_Http_Response_redirect, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_Http_Response, stream, arginfo_class_Tusk_Http_Response_stream, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_Http_Response, withHeader, arginfo_class_Tusk_Http_Response_withHeader, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Http_Response, withAddedHeader, arginfo_class_Tusk_Http_Response_withAddedHeader, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Http_Response, withoutHeader, arginfo_class_Tusk_Http_Response_withoutHeader, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Http_Response, withStatus, arginfo_class_Tusk_Http_Response_withStatus, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Http_Response, withBody, arginfo_class_Tusk_Http_Response_withBody, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Http_Response, withCookie, arginfo_class_Tusk_Http_Response_withCookie, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Http_Client_methods[] = {
	ZEND_ME(Tusk_Http_Client, __construct, arginfo_class_Tusk_Http_Client___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Http_Client, request, arginfo_class_Tusk_Http_Client_request, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Http_Client, get, arginfo_class_Tusk_Http_Client_get, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Http_Client, post, arginfo_class_Tusk_Http_Client_post, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Http_ClientResponse_methods[] = {
	ZEND_ME(Tusk_Http_ClientResponse, __construct, arginfo_class_Tusk_Http_ClientResponse___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Tusk_Http_ClientResponse, header, arginfo_class_Tusk_Http_ClientResponse_header, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Http_ClientResponse, headerValues, arginfo_class_Tusk_Http_ClientResponse_headerValues, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Http_ClientResponse, json, arginfo_class_Tusk_Http_ClientResponse_json, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Sse_EventStream_methods[] = {
	ZEND_ME(Tusk_Sse_EventStream, __construct, arginfo_class_Tusk_Sse_EventStream___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Tusk_Sse_EventStream, header, arginfo_class_Tusk_Sse_EventStream_header, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Sse_EventStream, query, arginfo_class_Tusk_Sse_EventStream_query, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Sse_EventStream, queryValues, arginfo_class_Tusk_Sse_EventStream_queryValues, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Sse_EventStream, cookie, arginfo_class_Tusk_Sse_EventStream_cookie, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Sse_EventStream, send, arginfo_class_Tusk_Sse_EventStream_send, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Sse_EventStream, comment, arginfo_class_Tusk_Sse_EventStream_comment, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Sse_EventStream, retry, arginfo_class_Tusk_Sse_EventStream_retry, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Sse_EventStream, subscribe, arginfo_class_Tusk_Sse_EventStream_subscribe, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Sse_EventStream, unsubscribe, arginfo_class_Tusk_Sse_EventStream_unsubscribe, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Sse_EventStream, close, arginfo_class_Tusk_Sse_EventStream_close, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Sse_EventStream, isOpen, arginfo_class_Tusk_Sse_EventStream_isOpen, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Sse_EventStream, bufferedBytes, arginfo_class_Tusk_Sse_EventStream_bufferedBytes, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Sse_EventStream, tls, arginfo_class_Tusk_Sse_EventStream_tls, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Sse_Event_methods[] = {
	ZEND_ME(Tusk_Sse_Event, __construct, arginfo_class_Tusk_Sse_Event___construct, ZEND_ACC_PRIVATE)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Sse_Client_methods[] = {
	ZEND_ME(Tusk_Sse_Client, __construct, arginfo_class_Tusk_Sse_Client___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Sse_Client, receive, arginfo_class_Tusk_Sse_Client_receive, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Sse_Client, getIterator, arginfo_class_Tusk_Sse_Client_getIterator, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Sse_Client, state, arginfo_class_Tusk_Sse_Client_state, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Sse_Client, lastEventId, arginfo_class_Tusk_Sse_Client_lastEventId, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Sse_Client, lastError, arginfo_class_Tusk_Sse_Client_lastError, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Sse_Client, close, arginfo_class_Tusk_Sse_Client_close, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_WebSocket_MessageType_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_WebSocket_ServerOptions_methods[] = {
	ZEND_ME(Tusk_WebSocket_ServerOptions, __construct, arginfo_class_Tusk_WebSocket_ServerOptions___construct, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_WebSocket_Deflate_methods[] = {
	ZEND_ME(Tusk_WebSocket_Deflate, __construct, arginfo_class_Tusk_WebSocket_Deflate___construct, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_WebSocket_Server_methods[] = {
	ZEND_ME(Tusk_WebSocket_Server, __construct, arginfo_class_Tusk_WebSocket_Server___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Server, listen, arginfo_class_Tusk_WebSocket_Server_listen, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Server, subprotocols, arginfo_class_Tusk_WebSocket_Server_subprotocols, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Server, deflate, arginfo_class_Tusk_WebSocket_Server_deflate, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Server, tls, arginfo_class_Tusk_WebSocket_Server_tls, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Server, onHandshake, arginfo_class_Tusk_WebSocket_Server_onHandshake, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Server, onOpen, arginfo_class_Tusk_WebSocket_Server_onOpen, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Server, onMessage, arginfo_class_Tusk_WebSocket_Server_onMessage, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Server, onClose, arginfo_class_Tusk_WebSocket_Server_onClose, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Server, onError, arginfo_class_Tusk_WebSocket_Server_onError, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Server, onStart, arginfo_class_Tusk_WebSocket_Server_onStart, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Server, publish, arginfo_class_Tusk_WebSocket_Server_publish, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Server, run, arginfo_class_Tusk_WebSocket_Server_run, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Server, stop, arginfo_class_Tusk_WebSocket_Server_stop, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Server, getDriver, arginfo_class_Tusk_WebSocket_Server_getDriver, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Server, stats, arginfo_class_Tusk_WebSocket_Server_stats, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_WebSocket_Request_methods[] = {
	ZEND_ME(Tusk_WebSocket_Request, __construct, arginfo_class_Tusk_WebSocket_Request___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Tusk_WebSocket_Request, header, arginfo_class_Tusk_WebSocket_Request_header, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Request, tls, arginfo_class_Tusk_WebSocket_Request_tls, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_WebSocket_HandshakeResponse_methods[] = {
	ZEND_ME(Tusk_WebSocket_HandshakeResponse, __construct, arginfo_class_Tusk_WebSocket_HandshakeResponse___construct, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_WebSocket_HandshakeException_methods[] = {
	ZEND_ME(Tusk_WebSocket_HandshakeException, __construct, arginfo_class_Tusk_WebSocket_HandshakeException___construct, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_WebSocket_Connection_methods[] = {
	ZEND_ME(Tusk_WebSocket_Connection, __construct, arginfo_class_Tusk_WebSocket_Connection___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Tusk_WebSocket_Connection, send, arginfo_class_Tusk_WebSocket_Connection_send, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Connection, close, arginfo_class_Tusk_WebSocket_Connection_close, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Connection, isOpen, arginfo_class_Tusk_WebSocket_Connection_isOpen, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Connection, terminate, arginfo_class_Tusk_WebSocket_Connection_terminate, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Connection, ping, arginfo_class_Tusk_WebSocket_Connection_ping, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Connection, subscribe, arginfo_class_Tusk_WebSocket_Connection_subscribe, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Connection, unsubscribe, arginfo_class_Tusk_WebSocket_Connection_unsubscribe, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Connection, publish, arginfo_class_Tusk_WebSocket_Connection_publish, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Connection, bufferedBytes, arginfo_class_Tusk_WebSocket_Connection_bufferedBytes, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Connection, tls, arginfo_class_Tusk_WebSocket_Connection_tls, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Connection, query, arginfo_class_Tusk_WebSocket_Connection_query, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Connection, queryValues, arginfo_class_Tusk_WebSocket_Connection_queryValues, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Connection, getIterator, arginfo_class_Tusk_WebSocket_Connection_getIterator, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_WebSocket_Messages_methods[] = {
	ZEND_ME(Tusk_WebSocket_Messages, __construct, arginfo_class_Tusk_WebSocket_Messages___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Tusk_WebSocket_Messages, current, arginfo_class_Tusk_WebSocket_Messages_current, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Messages, key, arginfo_class_Tusk_WebSocket_Messages_key, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Messages, next, arginfo_class_Tusk_WebSocket_Messages_next, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Messages, rewind, arginfo_class_Tusk_WebSocket_Messages_rewind, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Messages, valid, arginfo_class_Tusk_WebSocket_Messages_valid, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_WebSocket_Frame_methods[] = {
	ZEND_ME(Tusk_WebSocket_Frame, __construct, arginfo_class_Tusk_WebSocket_Frame___construct, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_WebSocket_CloseFrame_methods[] = {
	ZEND_ME(Tusk_WebSocket_CloseFrame, __construct, arginfo_class_Tusk_WebSocket_CloseFrame___construct, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_WebSocket_Protocol_methods[] = {
	ZEND_ME(Tusk_WebSocket_Protocol, __construct, arginfo_class_Tusk_WebSocket_Protocol___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Tusk_WebSocket_Protocol, acceptKey, arginfo_class_Tusk_WebSocket_Protocol_acceptKey, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_WebSocket_Protocol, encode, arginfo_class_Tusk_WebSocket_Protocol_encode, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_WebSocket_Protocol, decode, arginfo_class_Tusk_WebSocket_Protocol_decode, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_WebSocket_Protocol, pack, arginfo_class_Tusk_WebSocket_Protocol_pack, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_WebSocket_Protocol, unpack, arginfo_class_Tusk_WebSocket_Protocol_unpack, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_WebSocket_Frames_methods[] = {
	ZEND_ME(Tusk_WebSocket_Frames, __construct, arginfo_class_Tusk_WebSocket_Frames___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Frames, push, arginfo_class_Tusk_WebSocket_Frames_push, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Frames, next, arginfo_class_Tusk_WebSocket_Frames_next, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Frames, bufferedBytes, arginfo_class_Tusk_WebSocket_Frames_bufferedBytes, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_WebSocket_Client_methods[] = {
	ZEND_ME(Tusk_WebSocket_Client, __construct, arginfo_class_Tusk_WebSocket_Client___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Client, send, arginfo_class_Tusk_WebSocket_Client_send, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Client, receive, arginfo_class_Tusk_WebSocket_Client_receive, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Client, lastType, arginfo_class_Tusk_WebSocket_Client_lastType, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Client, ping, arginfo_class_Tusk_WebSocket_Client_ping, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Client, close, arginfo_class_Tusk_WebSocket_Client_close, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Client, isOpen, arginfo_class_Tusk_WebSocket_Client_isOpen, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Client, lastError, arginfo_class_Tusk_WebSocket_Client_lastError, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_WebSocket_Client, getIterator, arginfo_class_Tusk_WebSocket_Client_getIterator, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Proxy_Engine_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Proxy_Sockmap_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Proxy_First_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Proxy_Protocol_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Proxy_Forward_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Proxy_TlsMode_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Proxy_Target_methods[] = {
	ZEND_ME(Tusk_Proxy_Target, __construct, arginfo_class_Tusk_Proxy_Target___construct, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Proxy_UpstreamTls_methods[] = {
	ZEND_ME(Tusk_Proxy_UpstreamTls, __construct, arginfo_class_Tusk_Proxy_UpstreamTls___construct, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Proxy_Route_methods[] = {
	ZEND_ME(Tusk_Proxy_Route, __construct, arginfo_class_Tusk_Proxy_Route___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Tusk_Proxy_Route, to, arginfo_class_Tusk_Proxy_Route_to, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_Proxy_Route, respond, arginfo_class_Tusk_Proxy_Route_respond, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Proxy_Refused_methods[] = {
	ZEND_ME(Tusk_Proxy_Refused, __construct, arginfo_class_Tusk_Proxy_Refused___construct, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Proxy_Lookup_methods[] = {
	ZEND_ME(Tusk_Proxy_Lookup, __construct, arginfo_class_Tusk_Proxy_Lookup___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Tusk_Proxy_Lookup, of, arginfo_class_Tusk_Proxy_Lookup_of, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_Proxy_Lookup, fieldsRead, arginfo_class_Tusk_Proxy_Lookup_fieldsRead, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Proxy_Resolver_methods[] = {
	ZEND_ABSTRACT_ME_WITH_FLAGS(Tusk_Proxy_Resolver, resolve, arginfo_class_Tusk_Proxy_Resolver_resolve, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Proxy_Reloadable_methods[] = {
	ZEND_ABSTRACT_ME_WITH_FLAGS(Tusk_Proxy_Reloadable, reload, arginfo_class_Tusk_Proxy_Reloadable_reload, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Proxy_Reopenable_methods[] = {
	ZEND_ABSTRACT_ME_WITH_FLAGS(Tusk_Proxy_Reopenable, reopen, arginfo_class_Tusk_Proxy_Reopenable_reopen, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Proxy_Validation_methods[] = {
	ZEND_ME(Tusk_Proxy_Validation, __construct, arginfo_class_Tusk_Proxy_Validation___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Tusk_Proxy_Validation, publicOnly, arginfo_class_Tusk_Proxy_Validation_publicOnly, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_Proxy_Validation, none, arginfo_class_Tusk_Proxy_Validation_none, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_Proxy_Validation, allow, arginfo_class_Tusk_Proxy_Validation_allow, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Proxy_Limits_methods[] = {
	ZEND_ME(Tusk_Proxy_Limits, __construct, arginfo_class_Tusk_Proxy_Limits___construct, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Proxy_HttpLimits_methods[] = {
	ZEND_ME(Tusk_Proxy_HttpLimits, __construct, arginfo_class_Tusk_Proxy_HttpLimits___construct, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Proxy_Forwarding_methods[] = {
	ZEND_ME(Tusk_Proxy_Forwarding, __construct, arginfo_class_Tusk_Proxy_Forwarding___construct, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Proxy_Access_methods[] = {
	ZEND_ME(Tusk_Proxy_Access, __construct, arginfo_class_Tusk_Proxy_Access___construct, ZEND_ACC_PRIVATE)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Proxy_Tcp_methods[] = {
	ZEND_ME(Tusk_Proxy_Tcp, __construct, arginfo_class_Tusk_Proxy_Tcp___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Proxy_Tcp, listen, arginfo_class_Tusk_Proxy_Tcp_listen, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Proxy_Tcp, admin, arginfo_class_Tusk_Proxy_Tcp_admin, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Proxy_Tcp, onListen, arginfo_class_Tusk_Proxy_Tcp_onListen, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Proxy_Tcp, onStart, arginfo_class_Tusk_Proxy_Tcp_onStart, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Proxy_Tcp, onStop, arginfo_class_Tusk_Proxy_Tcp_onStop, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Proxy_Tcp, onError, arginfo_class_Tusk_Proxy_Tcp_onError, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Proxy_Tcp, onAccess, arginfo_class_Tusk_Proxy_Tcp_onAccess, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Proxy_Tcp, run, arginfo_class_Tusk_Proxy_Tcp_run, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Proxy_Tcp, stop, arginfo_class_Tusk_Proxy_Tcp_stop, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Proxy_Tcp, resolver, arginfo_class_Tusk_Proxy_Tcp_resolver, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Proxy_Tcp, reload, arginfo_class_Tusk_Proxy_Tcp_reload, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Proxy_Tcp, forget, arginfo_class_Tusk_Proxy_Tcp_forget, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Proxy_Tcp, stats, arginfo_class_Tusk_Proxy_Tcp_stats, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Proxy_Tcp, health, arginfo_class_Tusk_Proxy_Tcp_health, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Proxy_Tcp, engine, arginfo_class_Tusk_Proxy_Tcp_engine, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Proxy_Tcp, worker, arginfo_class_Tusk_Proxy_Tcp_worker, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Proxy_Http_methods[] = {
	ZEND_ME(Tusk_Proxy_Http, __construct, arginfo_class_Tusk_Proxy_Http___construct, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Smtp, listen, listen, arginfo_class_Tusk_Proxy_Http_listen, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, admin, admin, arginfo_class_Tusk_Proxy_Http_admin, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, onListen, onListen, arginfo_class_Tusk_Proxy_Http_onListen, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, onStart, onStart, arginfo_class_Tusk_Proxy_Http_onStart, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, onStop, onStop, arginfo_class_Tusk_Proxy_Http_onStop, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, onError, onError, arginfo_class_Tusk_Proxy_Http_onError, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, onAccess, onAccess, arginfo_class_Tusk_Proxy_Http_onAccess, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, run, run, arginfo_class_Tusk_Proxy_Http_run, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, stop, stop, arginfo_class_Tusk_Proxy_Http_stop, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, resolver, resolver, arginfo_class_Tusk_Proxy_Http_resolver, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, reload, reload, arginfo_class_Tusk_Proxy_Http_reload, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, forget, forget, arginfo_class_Tusk_Proxy_Http_forget, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, stats, stats, arginfo_class_Tusk_Proxy_Http_stats, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, health, health, arginfo_class_Tusk_Proxy_Http_health, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, engine, engine, arginfo_class_Tusk_Proxy_Http_engine, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, worker, worker, arginfo_class_Tusk_Proxy_Http_worker, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Proxy_Smtp_methods[] = {
	ZEND_ME(Tusk_Proxy_Smtp, __construct, arginfo_class_Tusk_Proxy_Smtp___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Proxy_Smtp, listen, arginfo_class_Tusk_Proxy_Smtp_listen, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, admin, admin, arginfo_class_Tusk_Proxy_Smtp_admin, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, onListen, onListen, arginfo_class_Tusk_Proxy_Smtp_onListen, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, onStart, onStart, arginfo_class_Tusk_Proxy_Smtp_onStart, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, onStop, onStop, arginfo_class_Tusk_Proxy_Smtp_onStop, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, onError, onError, arginfo_class_Tusk_Proxy_Smtp_onError, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, onAccess, onAccess, arginfo_class_Tusk_Proxy_Smtp_onAccess, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, run, run, arginfo_class_Tusk_Proxy_Smtp_run, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, stop, stop, arginfo_class_Tusk_Proxy_Smtp_stop, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, resolver, resolver, arginfo_class_Tusk_Proxy_Smtp_resolver, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, reload, reload, arginfo_class_Tusk_Proxy_Smtp_reload, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, forget, forget, arginfo_class_Tusk_Proxy_Smtp_forget, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, stats, stats, arginfo_class_Tusk_Proxy_Smtp_stats, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, health, health, arginfo_class_Tusk_Proxy_Smtp_health, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, engine, engine, arginfo_class_Tusk_Proxy_Smtp_engine, ZEND_ACC_PUBLIC)
	ZEND_MALIAS(Tusk_Proxy_Tcp, worker, worker, arginfo_class_Tusk_Proxy_Smtp_worker, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Testing_Loopback_methods[] = {
	ZEND_ME(Tusk_Testing_Loopback, __construct, arginfo_class_Tusk_Testing_Loopback___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Testing_Loopback, connect, arginfo_class_Tusk_Testing_Loopback_connect, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Testing_Loopback, events, arginfo_class_Tusk_Testing_Loopback_events, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Testing_Loopback, request, arginfo_class_Tusk_Testing_Loopback_request, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Testing_Loopback, raw, arginfo_class_Tusk_Testing_Loopback_raw, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Testing_Loopback, settle, arginfo_class_Tusk_Testing_Loopback_settle, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Testing_LoopbackClient_methods[] = {
	ZEND_ME(Tusk_Testing_LoopbackClient, __construct, arginfo_class_Tusk_Testing_LoopbackClient___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Tusk_Testing_LoopbackClient, send, arginfo_class_Tusk_Testing_LoopbackClient_send, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Testing_LoopbackClient, receive, arginfo_class_Tusk_Testing_LoopbackClient_receive, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Testing_LoopbackClient, lastType, arginfo_class_Tusk_Testing_LoopbackClient_lastType, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Testing_LoopbackClient, close, arginfo_class_Tusk_Testing_LoopbackClient_close, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Testing_LoopbackClient, closeCode, arginfo_class_Tusk_Testing_LoopbackClient_closeCode, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Testing_LoopbackStream_methods[] = {
	ZEND_ME(Tusk_Testing_LoopbackStream, __construct, arginfo_class_Tusk_Testing_LoopbackStream___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Tusk_Testing_LoopbackStream, receive, arginfo_class_Tusk_Testing_LoopbackStream_receive, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Testing_LoopbackStream, isOpen, arginfo_class_Tusk_Testing_LoopbackStream_isOpen, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Testing_LoopbackStream, close, arginfo_class_Tusk_Testing_LoopbackStream_close, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Parallel_OnFull_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Parallel_Template_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Parallel_State_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Parallel_CannotTravel_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Parallel_DeadlineExceeded_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Parallel_Cancelled_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Parallel_WorkerCrashed_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Parallel_TaskExited_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Parallel_TaskFailed_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Parallel_QueueFull_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Parallel_BootstrapFailed_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Parallel_Engine_methods[] = {
	ZEND_ABSTRACT_ME_WITH_FLAGS(Tusk_Parallel_Engine, submit, arginfo_class_Tusk_Parallel_Engine_submit, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(Tusk_Parallel_Engine, wait, arginfo_class_Tusk_Parallel_Engine_wait, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(Tusk_Parallel_Engine, stats, arginfo_class_Tusk_Parallel_Engine_stats, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(Tusk_Parallel_Engine, close, arginfo_class_Tusk_Parallel_Engine_close, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Parallel_Pool_methods[] = {
	ZEND_ME(Tusk_Parallel_Pool, __construct, arginfo_class_Tusk_Parallel_Pool___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Parallel_Pool, task, arginfo_class_Tusk_Parallel_Pool_task, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Parallel_Pool, run, arginfo_class_Tusk_Parallel_Pool_run, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Parallel_Pool, submit, arginfo_class_Tusk_Parallel_Pool_submit, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Parallel_Pool, wait, arginfo_class_Tusk_Parallel_Pool_wait, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Parallel_Pool, expect, arginfo_class_Tusk_Parallel_Pool_expect, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Parallel_Pool, reload, arginfo_class_Tusk_Parallel_Pool_reload, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Parallel_Pool, stats, arginfo_class_Tusk_Parallel_Pool_stats, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Parallel_Pool, close, arginfo_class_Tusk_Parallel_Pool_close, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Parallel_Pool, current, arginfo_class_Tusk_Parallel_Pool_current, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_Parallel_Pool, template, arginfo_class_Tusk_Parallel_Pool_template, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Parallel_Sync_methods[] = {
	ZEND_ME(Tusk_Parallel_Sync, __construct, arginfo_class_Tusk_Parallel_Sync___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Parallel_Sync, submit, arginfo_class_Tusk_Parallel_Sync_submit, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Parallel_Sync, wait, arginfo_class_Tusk_Parallel_Sync_wait, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Parallel_Sync, stats, arginfo_class_Tusk_Parallel_Sync_stats, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Parallel_Sync, close, arginfo_class_Tusk_Parallel_Sync_close, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Parallel_Async_methods[] = {
	ZEND_ME(Tusk_Parallel_Async, __construct, arginfo_class_Tusk_Parallel_Async___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Parallel_Async, submit, arginfo_class_Tusk_Parallel_Async_submit, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Parallel_Async, wait, arginfo_class_Tusk_Parallel_Async_wait, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Parallel_Async, stats, arginfo_class_Tusk_Parallel_Async_stats, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Parallel_Async, close, arginfo_class_Tusk_Parallel_Async_close, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Parallel_Task_methods[] = {
	ZEND_ME(Tusk_Parallel_Task, __construct, arginfo_class_Tusk_Parallel_Task___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Tusk_Parallel_Task, await, arginfo_class_Tusk_Parallel_Task_await, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Parallel_Task, error, arginfo_class_Tusk_Parallel_Task_error, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Parallel_Task, cancel, arginfo_class_Tusk_Parallel_Task_cancel, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Parallel_Task, state, arginfo_class_Tusk_Parallel_Task_state, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Parallel_Task, output, arginfo_class_Tusk_Parallel_Task_output, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Parallel_Task, stats, arginfo_class_Tusk_Parallel_Task_stats, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Parallel_Task, stopping, arginfo_class_Tusk_Parallel_Task_stopping, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Bench_Load_methods[] = {
	ZEND_ME(Tusk_Bench_Load, options, arginfo_class_Tusk_Bench_Load_options, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_Bench_Load, __construct, arginfo_class_Tusk_Bench_Load___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_Load, start, arginfo_class_Tusk_Bench_Load_start, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_Load, poll, arginfo_class_Tusk_Bench_Load_poll, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_Load, stop, arginfo_class_Tusk_Bench_Load_stop, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_Load, partial, arginfo_class_Tusk_Bench_Load_partial, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_Load, phase, arginfo_class_Tusk_Bench_Load_phase, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_Load, counters, arginfo_class_Tusk_Bench_Load_counters, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_Load, histogram, arginfo_class_Tusk_Bench_Load_histogram, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_Load, intervals, arginfo_class_Tusk_Bench_Load_intervals, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_Load, samples, arginfo_class_Tusk_Bench_Load_samples, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_Load, workers, arginfo_class_Tusk_Bench_Load_workers, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_Load, facts, arginfo_class_Tusk_Bench_Load_facts, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Bench_Histogram_methods[] = {
	ZEND_ME(Tusk_Bench_Histogram, __construct, arginfo_class_Tusk_Bench_Histogram___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_Histogram, record, arginfo_class_Tusk_Bench_Histogram_record, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_Histogram, merge, arginfo_class_Tusk_Bench_Histogram_merge, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_Histogram, count, arginfo_class_Tusk_Bench_Histogram_count, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_Histogram, saturated, arginfo_class_Tusk_Bench_Histogram_saturated, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_Histogram, min, arginfo_class_Tusk_Bench_Histogram_min, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_Histogram, max, arginfo_class_Tusk_Bench_Histogram_max, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_Histogram, mean, arginfo_class_Tusk_Bench_Histogram_mean, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_Histogram, stddev, arginfo_class_Tusk_Bench_Histogram_stddev, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_Histogram, percentile, arginfo_class_Tusk_Bench_Histogram_percentile, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_Histogram, supports, arginfo_class_Tusk_Bench_Histogram_supports, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_Histogram, encode, arginfo_class_Tusk_Bench_Histogram_encode, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_Histogram, decode, arginfo_class_Tusk_Bench_Histogram_decode, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Tusk_Bench_Histogram, slots, arginfo_class_Tusk_Bench_Histogram_slots, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Tusk_Bench_EchoServer_methods[] = {
	ZEND_ME(Tusk_Bench_EchoServer, __construct, arginfo_class_Tusk_Bench_EchoServer___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_EchoServer, port, arginfo_class_Tusk_Bench_EchoServer_port, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_EchoServer, pids, arginfo_class_Tusk_Bench_EchoServer_pids, ZEND_ACC_PUBLIC)
	ZEND_ME(Tusk_Bench_EchoServer, stop, arginfo_class_Tusk_Bench_EchoServer_stop, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};

static zend_class_entry *register_class_Tusk_Exception(zend_class_entry *class_entry_RuntimeException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk", "Exception", class_Tusk_Exception_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RuntimeException);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Overflow(void)
{
	zend_class_entry *class_entry = zend_register_internal_enum("Tusk\\Overflow", IS_UNDEF, class_Tusk_Overflow_methods);

	zend_enum_add_case_cstr(class_entry, "Close", NULL);

	zend_enum_add_case_cstr(class_entry, "DropOldest", NULL);

	zend_enum_add_case_cstr(class_entry, "DropNewest", NULL);

	zend_enum_add_case_cstr(class_entry, "Conflate", NULL);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Position(zend_class_entry *class_entry_Stringable, zend_class_entry *class_entry_JsonSerializable)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk", "Position", class_Tusk_Position_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;
	zend_class_implements(class_entry, 2, class_entry_Stringable, class_entry_JsonSerializable);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Tls(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk", "Tls", class_Tusk_Tls_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_Tusk_TlsInfo(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk", "TlsInfo", class_Tusk_TlsInfo_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_version_default_value;
	ZVAL_UNDEF(&property_version_default_value);
	zend_string *property_version_name = zend_string_init("version", sizeof("version") - 1, 1);
	zend_declare_typed_property(class_entry, property_version_name, &property_version_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_version_name);

	zval property_cipher_default_value;
	ZVAL_UNDEF(&property_cipher_default_value);
	zend_string *property_cipher_name = zend_string_init("cipher", sizeof("cipher") - 1, 1);
	zend_declare_typed_property(class_entry, property_cipher_name, &property_cipher_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_cipher_name);

	zval property_serverName_default_value;
	ZVAL_UNDEF(&property_serverName_default_value);
	zend_string *property_serverName_name = zend_string_init("serverName", sizeof("serverName") - 1, 1);
	zend_declare_typed_property(class_entry, property_serverName_name, &property_serverName_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_serverName_name);

	zval property_alpn_default_value;
	ZVAL_UNDEF(&property_alpn_default_value);
	zend_string *property_alpn_name = zend_string_init("alpn", sizeof("alpn") - 1, 1);
	zend_declare_typed_property(class_entry, property_alpn_name, &property_alpn_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_alpn_name);

	zval property_resumed_default_value;
	ZVAL_UNDEF(&property_resumed_default_value);
	zend_string *property_resumed_name = zend_string_init("resumed", sizeof("resumed") - 1, 1);
	zend_declare_typed_property(class_entry, property_resumed_name, &property_resumed_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_resumed_name);

	zend_string *property_clientCertificate_class_Tusk_Certificate = zend_string_init("Tusk\\Certificate", sizeof("Tusk\\Certificate")-1, 1);
	zval property_clientCertificate_default_value;
	ZVAL_UNDEF(&property_clientCertificate_default_value);
	zend_string *property_clientCertificate_name = zend_string_init("clientCertificate", sizeof("clientCertificate") - 1, 1);
	zend_declare_typed_property(class_entry, property_clientCertificate_name, &property_clientCertificate_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_CLASS(property_clientCertificate_class_Tusk_Certificate, 0, MAY_BE_NULL));
	zend_string_release(property_clientCertificate_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Certificate(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk", "Certificate", class_Tusk_Certificate_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_subject_default_value;
	ZVAL_UNDEF(&property_subject_default_value);
	zend_string *property_subject_name = zend_string_init("subject", sizeof("subject") - 1, 1);
	zend_declare_typed_property(class_entry, property_subject_name, &property_subject_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_subject_name);

	zval property_issuer_default_value;
	ZVAL_UNDEF(&property_issuer_default_value);
	zend_string *property_issuer_name = zend_string_init("issuer", sizeof("issuer") - 1, 1);
	zend_declare_typed_property(class_entry, property_issuer_name, &property_issuer_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_issuer_name);

	zval property_commonName_default_value;
	ZVAL_UNDEF(&property_commonName_default_value);
	zend_string *property_commonName_name = zend_string_init("commonName", sizeof("commonName") - 1, 1);
	zend_declare_typed_property(class_entry, property_commonName_name, &property_commonName_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_commonName_name);

	zval property_serial_default_value;
	ZVAL_UNDEF(&property_serial_default_value);
	zend_string *property_serial_name = zend_string_init("serial", sizeof("serial") - 1, 1);
	zend_declare_typed_property(class_entry, property_serial_name, &property_serial_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_serial_name);

	zval property_dnsNames_default_value;
	ZVAL_UNDEF(&property_dnsNames_default_value);
	zend_string *property_dnsNames_name = zend_string_init("dnsNames", sizeof("dnsNames") - 1, 1);
	zend_declare_typed_property(class_entry, property_dnsNames_name, &property_dnsNames_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_dnsNames_name);

	zval property_emailAddresses_default_value;
	ZVAL_UNDEF(&property_emailAddresses_default_value);
	zend_string *property_emailAddresses_name = zend_string_init("emailAddresses", sizeof("emailAddresses") - 1, 1);
	zend_declare_typed_property(class_entry, property_emailAddresses_name, &property_emailAddresses_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_emailAddresses_name);

	zval property_uris_default_value;
	ZVAL_UNDEF(&property_uris_default_value);
	zend_string *property_uris_name = zend_string_init("uris", sizeof("uris") - 1, 1);
	zend_declare_typed_property(class_entry, property_uris_name, &property_uris_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_uris_name);

	zval property_ipAddresses_default_value;
	ZVAL_UNDEF(&property_ipAddresses_default_value);
	zend_string *property_ipAddresses_name = zend_string_init("ipAddresses", sizeof("ipAddresses") - 1, 1);
	zend_declare_typed_property(class_entry, property_ipAddresses_name, &property_ipAddresses_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_ipAddresses_name);

	zval property_notBefore_default_value;
	ZVAL_UNDEF(&property_notBefore_default_value);
	zend_string *property_notBefore_name = zend_string_init("notBefore", sizeof("notBefore") - 1, 1);
	zend_declare_typed_property(class_entry, property_notBefore_name, &property_notBefore_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_notBefore_name);

	zval property_notAfter_default_value;
	ZVAL_UNDEF(&property_notAfter_default_value);
	zend_string *property_notAfter_name = zend_string_init("notAfter", sizeof("notAfter") - 1, 1);
	zend_declare_typed_property(class_entry, property_notAfter_name, &property_notAfter_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_notAfter_name);

	zval property_fingerprint_default_value;
	ZVAL_UNDEF(&property_fingerprint_default_value);
	zend_string *property_fingerprint_name = zend_string_init("fingerprint", sizeof("fingerprint") - 1, 1);
	zend_declare_typed_property(class_entry, property_fingerprint_name, &property_fingerprint_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_fingerprint_name);

	zval property_pem_default_value;
	ZVAL_UNDEF(&property_pem_default_value);
	zend_string *property_pem_name = zend_string_init("pem", sizeof("pem") - 1, 1);
	zend_declare_typed_property(class_entry, property_pem_name, &property_pem_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_pem_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Limits(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk", "Limits", class_Tusk_Limits_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_connections_default_value;
	ZVAL_UNDEF(&property_connections_default_value);
	zend_string *property_connections_name = zend_string_init("connections", sizeof("connections") - 1, 1);
	zend_declare_typed_property(class_entry, property_connections_name, &property_connections_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_connections_name);

	zval property_perAddress_default_value;
	ZVAL_UNDEF(&property_perAddress_default_value);
	zend_string *property_perAddress_name = zend_string_init("perAddress", sizeof("perAddress") - 1, 1);
	zend_declare_typed_property(class_entry, property_perAddress_name, &property_perAddress_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_perAddress_name);

	zval property_handshakes_default_value;
	ZVAL_UNDEF(&property_handshakes_default_value);
	zend_string *property_handshakes_name = zend_string_init("handshakes", sizeof("handshakes") - 1, 1);
	zend_declare_typed_property(class_entry, property_handshakes_name, &property_handshakes_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_handshakes_name);

	zval property_messageBytes_default_value;
	ZVAL_UNDEF(&property_messageBytes_default_value);
	zend_string *property_messageBytes_name = zend_string_init("messageBytes", sizeof("messageBytes") - 1, 1);
	zend_declare_typed_property(class_entry, property_messageBytes_name, &property_messageBytes_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_messageBytes_name);

	zval property_messageFrames_default_value;
	ZVAL_UNDEF(&property_messageFrames_default_value);
	zend_string *property_messageFrames_name = zend_string_init("messageFrames", sizeof("messageFrames") - 1, 1);
	zend_declare_typed_property(class_entry, property_messageFrames_name, &property_messageFrames_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_messageFrames_name);

	zval property_unfinishedBytes_default_value;
	ZVAL_UNDEF(&property_unfinishedBytes_default_value);
	zend_string *property_unfinishedBytes_name = zend_string_init("unfinishedBytes", sizeof("unfinishedBytes") - 1, 1);
	zend_declare_typed_property(class_entry, property_unfinishedBytes_name, &property_unfinishedBytes_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_unfinishedBytes_name);

	zval property_unfinishedMs_default_value;
	ZVAL_UNDEF(&property_unfinishedMs_default_value);
	zend_string *property_unfinishedMs_name = zend_string_init("unfinishedMs", sizeof("unfinishedMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_unfinishedMs_name, &property_unfinishedMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_unfinishedMs_name);

	zval property_queuedBytes_default_value;
	ZVAL_UNDEF(&property_queuedBytes_default_value);
	zend_string *property_queuedBytes_name = zend_string_init("queuedBytes", sizeof("queuedBytes") - 1, 1);
	zend_declare_typed_property(class_entry, property_queuedBytes_name, &property_queuedBytes_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_queuedBytes_name);

	zval property_queuedBytesTotal_default_value;
	ZVAL_UNDEF(&property_queuedBytesTotal_default_value);
	zend_string *property_queuedBytesTotal_name = zend_string_init("queuedBytesTotal", sizeof("queuedBytesTotal") - 1, 1);
	zend_declare_typed_property(class_entry, property_queuedBytesTotal_name, &property_queuedBytesTotal_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_queuedBytesTotal_name);

	zval property_messagesPerSecond_default_value;
	ZVAL_UNDEF(&property_messagesPerSecond_default_value);
	zend_string *property_messagesPerSecond_name = zend_string_init("messagesPerSecond", sizeof("messagesPerSecond") - 1, 1);
	zend_declare_typed_property(class_entry, property_messagesPerSecond_name, &property_messagesPerSecond_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_messagesPerSecond_name);

	zval property_bytesPerSecond_default_value;
	ZVAL_UNDEF(&property_bytesPerSecond_default_value);
	zend_string *property_bytesPerSecond_name = zend_string_init("bytesPerSecond", sizeof("bytesPerSecond") - 1, 1);
	zend_declare_typed_property(class_entry, property_bytesPerSecond_name, &property_bytesPerSecond_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_bytesPerSecond_name);

	zval property_subscriptions_default_value;
	ZVAL_UNDEF(&property_subscriptions_default_value);
	zend_string *property_subscriptions_name = zend_string_init("subscriptions", sizeof("subscriptions") - 1, 1);
	zend_declare_typed_property(class_entry, property_subscriptions_name, &property_subscriptions_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_subscriptions_name);

	zval property_headBytes_default_value;
	ZVAL_UNDEF(&property_headBytes_default_value);
	zend_string *property_headBytes_name = zend_string_init("headBytes", sizeof("headBytes") - 1, 1);
	zend_declare_typed_property(class_entry, property_headBytes_name, &property_headBytes_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_headBytes_name);

	zval property_headFields_default_value;
	ZVAL_UNDEF(&property_headFields_default_value);
	zend_string *property_headFields_name = zend_string_init("headFields", sizeof("headFields") - 1, 1);
	zend_declare_typed_property(class_entry, property_headFields_name, &property_headFields_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_headFields_name);

	zval property_bodyBytes_default_value;
	ZVAL_UNDEF(&property_bodyBytes_default_value);
	zend_string *property_bodyBytes_name = zend_string_init("bodyBytes", sizeof("bodyBytes") - 1, 1);
	zend_declare_typed_property(class_entry, property_bodyBytes_name, &property_bodyBytes_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_bodyBytes_name);

	zval property_handshakeMs_default_value;
	ZVAL_UNDEF(&property_handshakeMs_default_value);
	zend_string *property_handshakeMs_name = zend_string_init("handshakeMs", sizeof("handshakeMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_handshakeMs_name, &property_handshakeMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_handshakeMs_name);

	zval property_bodyMs_default_value;
	ZVAL_UNDEF(&property_bodyMs_default_value);
	zend_string *property_bodyMs_name = zend_string_init("bodyMs", sizeof("bodyMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_bodyMs_name, &property_bodyMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_bodyMs_name);

	zval property_idleMs_default_value;
	ZVAL_UNDEF(&property_idleMs_default_value);
	zend_string *property_idleMs_name = zend_string_init("idleMs", sizeof("idleMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_idleMs_name, &property_idleMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_idleMs_name);

	zval property_keepAliveMs_default_value;
	ZVAL_UNDEF(&property_keepAliveMs_default_value);
	zend_string *property_keepAliveMs_name = zend_string_init("keepAliveMs", sizeof("keepAliveMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_keepAliveMs_name, &property_keepAliveMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_keepAliveMs_name);

	zval property_pingMs_default_value;
	ZVAL_UNDEF(&property_pingMs_default_value);
	zend_string *property_pingMs_name = zend_string_init("pingMs", sizeof("pingMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_pingMs_name, &property_pingMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_pingMs_name);

	zval property_pongMs_default_value;
	ZVAL_UNDEF(&property_pongMs_default_value);
	zend_string *property_pongMs_name = zend_string_init("pongMs", sizeof("pongMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_pongMs_name, &property_pongMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_pongMs_name);

	zval property_closeMs_default_value;
	ZVAL_UNDEF(&property_closeMs_default_value);
	zend_string *property_closeMs_name = zend_string_init("closeMs", sizeof("closeMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_closeMs_name, &property_closeMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_closeMs_name);

	zval property_drainMs_default_value;
	ZVAL_UNDEF(&property_drainMs_default_value);
	zend_string *property_drainMs_name = zend_string_init("drainMs", sizeof("drainMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_drainMs_name, &property_drainMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_drainMs_name);

	zval property_heartbeatMs_default_value;
	ZVAL_UNDEF(&property_heartbeatMs_default_value);
	zend_string *property_heartbeatMs_name = zend_string_init("heartbeatMs", sizeof("heartbeatMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_heartbeatMs_name, &property_heartbeatMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_heartbeatMs_name);

	zval property_historyBytes_default_value;
	ZVAL_UNDEF(&property_historyBytes_default_value);
	zend_string *property_historyBytes_name = zend_string_init("historyBytes", sizeof("historyBytes") - 1, 1);
	zend_declare_typed_property(class_entry, property_historyBytes_name, &property_historyBytes_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_historyBytes_name);

	zval property_parkedHandlers_default_value;
	ZVAL_UNDEF(&property_parkedHandlers_default_value);
	zend_string *property_parkedHandlers_name = zend_string_init("parkedHandlers", sizeof("parkedHandlers") - 1, 1);
	zend_declare_typed_property(class_entry, property_parkedHandlers_name, &property_parkedHandlers_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_parkedHandlers_name);

	zval property_slowHandlerMs_default_value;
	ZVAL_UNDEF(&property_slowHandlerMs_default_value);
	zend_string *property_slowHandlerMs_name = zend_string_init("slowHandlerMs", sizeof("slowHandlerMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_slowHandlerMs_name, &property_slowHandlerMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_slowHandlerMs_name);

	zval property_formParts_default_value;
	ZVAL_UNDEF(&property_formParts_default_value);
	zend_string *property_formParts_name = zend_string_init("formParts", sizeof("formParts") - 1, 1);
	zend_declare_typed_property(class_entry, property_formParts_name, &property_formParts_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_formParts_name);

	zval property_partHeadBytes_default_value;
	ZVAL_UNDEF(&property_partHeadBytes_default_value);
	zend_string *property_partHeadBytes_name = zend_string_init("partHeadBytes", sizeof("partHeadBytes") - 1, 1);
	zend_declare_typed_property(class_entry, property_partHeadBytes_name, &property_partHeadBytes_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_partHeadBytes_name);

	zval property_fileBytes_default_value;
	ZVAL_UNDEF(&property_fileBytes_default_value);
	zend_string *property_fileBytes_name = zend_string_init("fileBytes", sizeof("fileBytes") - 1, 1);
	zend_declare_typed_property(class_entry, property_fileBytes_name, &property_fileBytes_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_fileBytes_name);

	zval property_workerBytes_default_value;
	ZVAL_UNDEF(&property_workerBytes_default_value);
	zend_string *property_workerBytes_name = zend_string_init("workerBytes", sizeof("workerBytes") - 1, 1);
	zend_declare_typed_property(class_entry, property_workerBytes_name, &property_workerBytes_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_workerBytes_name);

	zval property_subscriptionBytes_default_value;
	ZVAL_UNDEF(&property_subscriptionBytes_default_value);
	zend_string *property_subscriptionBytes_name = zend_string_init("subscriptionBytes", sizeof("subscriptionBytes") - 1, 1);
	zend_declare_typed_property(class_entry, property_subscriptionBytes_name, &property_subscriptionBytes_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_subscriptionBytes_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Server(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk", "Server", class_Tusk_Server_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_port_default_value;
	ZVAL_UNDEF(&property_port_default_value);
	zend_string *property_port_name = zend_string_init("port", sizeof("port") - 1, 1);
	zend_declare_typed_property(class_entry, property_port_name, &property_port_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_port_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Timer(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk", "Timer", class_Tusk_Timer_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Wait(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk", "Wait", class_Tusk_Wait_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Watch(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk", "Watch", class_Tusk_Watch_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Condition(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk", "Condition", class_Tusk_Condition_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Scope(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk", "Scope", class_Tusk_Scope_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Http_Request(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Http", "Request", class_Tusk_Http_Request_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_method_default_value;
	ZVAL_UNDEF(&property_method_default_value);
	zend_string *property_method_name = zend_string_init("method", sizeof("method") - 1, 1);
	zend_declare_typed_property(class_entry, property_method_name, &property_method_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_method_name);

	zval property_target_default_value;
	ZVAL_UNDEF(&property_target_default_value);
	zend_string *property_target_name = zend_string_init("target", sizeof("target") - 1, 1);
	zend_declare_typed_property(class_entry, property_target_name, &property_target_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_target_name);

	zval property_path_default_value;
	ZVAL_UNDEF(&property_path_default_value);
	zend_string *property_path_name = zend_string_init("path", sizeof("path") - 1, 1);
	zend_declare_typed_property(class_entry, property_path_name, &property_path_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_path_name);

	zval property_params_default_value;
	ZVAL_UNDEF(&property_params_default_value);
	zend_string *property_params_name = zend_string_init("params", sizeof("params") - 1, 1);
	zend_declare_typed_property(class_entry, property_params_name, &property_params_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_params_name);

	zval property_headers_default_value;
	ZVAL_UNDEF(&property_headers_default_value);
	zend_string *property_headers_name = zend_string_init("headers", sizeof("headers") - 1, 1);
	zend_declare_typed_property(class_entry, property_headers_name, &property_headers_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_headers_name);

	zval property_body_default_value;
	ZVAL_UNDEF(&property_body_default_value);
	zend_string *property_body_name = zend_string_init("body", sizeof("body") - 1, 1);
	zend_declare_typed_property(class_entry, property_body_name, &property_body_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_body_name);

	zval property_remoteAddress_default_value;
	ZVAL_UNDEF(&property_remoteAddress_default_value);
	zend_string *property_remoteAddress_name = zend_string_init("remoteAddress", sizeof("remoteAddress") - 1, 1);
	zend_declare_typed_property(class_entry, property_remoteAddress_name, &property_remoteAddress_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_remoteAddress_name);

	zval property_secure_default_value;
	ZVAL_UNDEF(&property_secure_default_value);
	zend_string *property_secure_name = zend_string_init("secure", sizeof("secure") - 1, 1);
	zend_declare_typed_property(class_entry, property_secure_name, &property_secure_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_secure_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Http_InvalidJson(zend_class_entry *class_entry_JsonException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Http", "InvalidJson", class_Tusk_Http_InvalidJson_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_JsonException);
	class_entry->ce_flags |= ZEND_ACC_FINAL;

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Http_UploadedFile(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Http", "UploadedFile", class_Tusk_Http_UploadedFile_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_field_default_value;
	ZVAL_UNDEF(&property_field_default_value);
	zend_string *property_field_name = zend_string_init("field", sizeof("field") - 1, 1);
	zend_declare_typed_property(class_entry, property_field_name, &property_field_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_field_name);

	zval property_name_default_value;
	ZVAL_UNDEF(&property_name_default_value);
	zend_string *property_name_name = zend_string_init("name", sizeof("name") - 1, 1);
	zend_declare_typed_property(class_entry, property_name_name, &property_name_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_name_name);

	zval property_type_default_value;
	ZVAL_UNDEF(&property_type_default_value);
	zend_string *property_type_name = zend_string_init("type", sizeof("type") - 1, 1);
	zend_declare_typed_property(class_entry, property_type_name, &property_type_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_type_name);

	zval property_size_default_value;
	ZVAL_UNDEF(&property_size_default_value);
	zend_string *property_size_name = zend_string_init("size", sizeof("size") - 1, 1);
	zend_declare_typed_property(class_entry, property_size_name, &property_size_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_size_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Http_Response(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Http", "Response", class_Tusk_Http_Response_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_status_default_value;
	ZVAL_UNDEF(&property_status_default_value);
	zend_string *property_status_name = zend_string_init("status", sizeof("status") - 1, 1);
	zend_declare_typed_property(class_entry, property_status_name, &property_status_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_status_name);

	zval property_headers_default_value;
	ZVAL_UNDEF(&property_headers_default_value);
	zend_string *property_headers_name = zend_string_init("headers", sizeof("headers") - 1, 1);
	zend_declare_typed_property(class_entry, property_headers_name, &property_headers_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_headers_name);

	zval property_body_default_value;
	ZVAL_UNDEF(&property_body_default_value);
	zend_string *property_body_name = zend_string_init("body", sizeof("body") - 1, 1);
	zend_declare_typed_property(class_entry, property_body_name, &property_body_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_body_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Http_Client(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Http", "Client", class_Tusk_Http_Client_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Http_ClientResponse(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Http", "ClientResponse", class_Tusk_Http_ClientResponse_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_status_default_value;
	ZVAL_UNDEF(&property_status_default_value);
	zend_string *property_status_name = zend_string_init("status", sizeof("status") - 1, 1);
	zend_declare_typed_property(class_entry, property_status_name, &property_status_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_status_name);

	zval property_headers_default_value;
	ZVAL_UNDEF(&property_headers_default_value);
	zend_string *property_headers_name = zend_string_init("headers", sizeof("headers") - 1, 1);
	zend_declare_typed_property(class_entry, property_headers_name, &property_headers_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_headers_name);

	zval property_body_default_value;
	ZVAL_UNDEF(&property_body_default_value);
	zend_string *property_body_name = zend_string_init("body", sizeof("body") - 1, 1);
	zend_declare_typed_property(class_entry, property_body_name, &property_body_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_body_name);

	zval property_repeated_default_value;
	ZVAL_UNDEF(&property_repeated_default_value);
	zend_string *property_repeated_name = zend_string_init("repeated", sizeof("repeated") - 1, 1);
	zend_declare_typed_property(class_entry, property_repeated_name, &property_repeated_default_value, ZEND_ACC_PRIVATE|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_repeated_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Sse_EventStream(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Sse", "EventStream", class_Tusk_Sse_EventStream_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_id_default_value;
	ZVAL_UNDEF(&property_id_default_value);
	zend_string *property_id_name = zend_string_init("id", sizeof("id") - 1, 1);
	zend_declare_typed_property(class_entry, property_id_name, &property_id_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_id_name);

	zval property_remoteAddress_default_value;
	ZVAL_UNDEF(&property_remoteAddress_default_value);
	zend_string *property_remoteAddress_name = zend_string_init("remoteAddress", sizeof("remoteAddress") - 1, 1);
	zend_declare_typed_property(class_entry, property_remoteAddress_name, &property_remoteAddress_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_remoteAddress_name);

	zval property_params_default_value;
	ZVAL_UNDEF(&property_params_default_value);
	zend_string *property_params_name = zend_string_init("params", sizeof("params") - 1, 1);
	zend_declare_typed_property(class_entry, property_params_name, &property_params_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_params_name);

	zval property_identity_default_value;
	ZVAL_UNDEF(&property_identity_default_value);
	zend_string *property_identity_name = zend_string_init("identity", sizeof("identity") - 1, 1);
	zend_declare_typed_property(class_entry, property_identity_name, &property_identity_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ANY));
	zend_string_release(property_identity_name);

	zval property_lastEventId_default_value;
	ZVAL_UNDEF(&property_lastEventId_default_value);
	zend_string *property_lastEventId_name = zend_string_init("lastEventId", sizeof("lastEventId") - 1, 1);
	zend_declare_typed_property(class_entry, property_lastEventId_name, &property_lastEventId_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_lastEventId_name);

	zval property_state_default_value;
	ZVAL_NULL(&property_state_default_value);
	zend_string *property_state_name = zend_string_init("state", sizeof("state") - 1, 1);
	zend_declare_typed_property(class_entry, property_state_name, &property_state_default_value, ZEND_ACC_PUBLIC, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ANY));
	zend_string_release(property_state_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Sse_Event(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Sse", "Event", class_Tusk_Sse_Event_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_type_default_value;
	ZVAL_UNDEF(&property_type_default_value);
	zend_string *property_type_name = zend_string_init("type", sizeof("type") - 1, 1);
	zend_declare_typed_property(class_entry, property_type_name, &property_type_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_type_name);

	zval property_data_default_value;
	ZVAL_UNDEF(&property_data_default_value);
	zend_string *property_data_name = zend_string_init("data", sizeof("data") - 1, 1);
	zend_declare_typed_property(class_entry, property_data_name, &property_data_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_data_name);

	zval property_lastEventId_default_value;
	ZVAL_UNDEF(&property_lastEventId_default_value);
	zend_string *property_lastEventId_name = zend_string_init("lastEventId", sizeof("lastEventId") - 1, 1);
	zend_declare_typed_property(class_entry, property_lastEventId_name, &property_lastEventId_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_lastEventId_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Sse_Client(zend_class_entry *class_entry_IteratorAggregate)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Sse", "Client", class_Tusk_Sse_Client_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;
	zend_class_implements(class_entry, 1, class_entry_IteratorAggregate);

	zval const_CONNECTING_value;
	ZVAL_LONG(&const_CONNECTING_value, 0);
	zend_string *const_CONNECTING_name = zend_string_init_interned("CONNECTING", sizeof("CONNECTING") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_CONNECTING_name, &const_CONNECTING_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_CONNECTING_name);

	zval const_OPEN_value;
	ZVAL_LONG(&const_OPEN_value, 1);
	zend_string *const_OPEN_name = zend_string_init_interned("OPEN", sizeof("OPEN") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_OPEN_name, &const_OPEN_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_OPEN_name);

	zval const_CLOSED_value;
	ZVAL_LONG(&const_CLOSED_value, 2);
	zend_string *const_CLOSED_name = zend_string_init_interned("CLOSED", sizeof("CLOSED") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_CLOSED_name, &const_CLOSED_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_CLOSED_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_WebSocket_MessageType(void)
{
	zend_class_entry *class_entry = zend_register_internal_enum("Tusk\\WebSocket\\MessageType", IS_UNDEF, class_Tusk_WebSocket_MessageType_methods);

	zend_enum_add_case_cstr(class_entry, "Continuation", NULL);

	zend_enum_add_case_cstr(class_entry, "Text", NULL);

	zend_enum_add_case_cstr(class_entry, "Binary", NULL);

	zend_enum_add_case_cstr(class_entry, "Ping", NULL);

	zend_enum_add_case_cstr(class_entry, "Pong", NULL);

	zend_enum_add_case_cstr(class_entry, "Close", NULL);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_WebSocket_ServerOptions(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\WebSocket", "ServerOptions", class_Tusk_WebSocket_ServerOptions_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_maxMessageSize_default_value;
	ZVAL_UNDEF(&property_maxMessageSize_default_value);
	zend_string *property_maxMessageSize_name = zend_string_init("maxMessageSize", sizeof("maxMessageSize") - 1, 1);
	zend_declare_typed_property(class_entry, property_maxMessageSize_name, &property_maxMessageSize_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_maxMessageSize_name);

	zval property_maxQueuedBytes_default_value;
	ZVAL_UNDEF(&property_maxQueuedBytes_default_value);
	zend_string *property_maxQueuedBytes_name = zend_string_init("maxQueuedBytes", sizeof("maxQueuedBytes") - 1, 1);
	zend_declare_typed_property(class_entry, property_maxQueuedBytes_name, &property_maxQueuedBytes_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_maxQueuedBytes_name);

	zval property_maxConnections_default_value;
	ZVAL_UNDEF(&property_maxConnections_default_value);
	zend_string *property_maxConnections_name = zend_string_init("maxConnections", sizeof("maxConnections") - 1, 1);
	zend_declare_typed_property(class_entry, property_maxConnections_name, &property_maxConnections_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_maxConnections_name);

	zval property_handshakeTimeoutMs_default_value;
	ZVAL_UNDEF(&property_handshakeTimeoutMs_default_value);
	zend_string *property_handshakeTimeoutMs_name = zend_string_init("handshakeTimeoutMs", sizeof("handshakeTimeoutMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_handshakeTimeoutMs_name, &property_handshakeTimeoutMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_handshakeTimeoutMs_name);

	zval property_idleTimeoutMs_default_value;
	ZVAL_UNDEF(&property_idleTimeoutMs_default_value);
	zend_string *property_idleTimeoutMs_name = zend_string_init("idleTimeoutMs", sizeof("idleTimeoutMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_idleTimeoutMs_name, &property_idleTimeoutMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_idleTimeoutMs_name);

	zval property_pingIntervalMs_default_value;
	ZVAL_UNDEF(&property_pingIntervalMs_default_value);
	zend_string *property_pingIntervalMs_name = zend_string_init("pingIntervalMs", sizeof("pingIntervalMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_pingIntervalMs_name, &property_pingIntervalMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_pingIntervalMs_name);

	zval property_pongTimeoutMs_default_value;
	ZVAL_UNDEF(&property_pongTimeoutMs_default_value);
	zend_string *property_pongTimeoutMs_name = zend_string_init("pongTimeoutMs", sizeof("pongTimeoutMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_pongTimeoutMs_name, &property_pongTimeoutMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_pongTimeoutMs_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_WebSocket_Deflate(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\WebSocket", "Deflate", class_Tusk_WebSocket_Deflate_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_threshold_default_value;
	ZVAL_UNDEF(&property_threshold_default_value);
	zend_string *property_threshold_name = zend_string_init("threshold", sizeof("threshold") - 1, 1);
	zend_declare_typed_property(class_entry, property_threshold_name, &property_threshold_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_threshold_name);

	zval property_level_default_value;
	ZVAL_UNDEF(&property_level_default_value);
	zend_string *property_level_name = zend_string_init("level", sizeof("level") - 1, 1);
	zend_declare_typed_property(class_entry, property_level_name, &property_level_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_level_name);

	zval property_serverMaxWindowBits_default_value;
	ZVAL_UNDEF(&property_serverMaxWindowBits_default_value);
	zend_string *property_serverMaxWindowBits_name = zend_string_init("serverMaxWindowBits", sizeof("serverMaxWindowBits") - 1, 1);
	zend_declare_typed_property(class_entry, property_serverMaxWindowBits_name, &property_serverMaxWindowBits_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_serverMaxWindowBits_name);

	zval property_clientMaxWindowBits_default_value;
	ZVAL_UNDEF(&property_clientMaxWindowBits_default_value);
	zend_string *property_clientMaxWindowBits_name = zend_string_init("clientMaxWindowBits", sizeof("clientMaxWindowBits") - 1, 1);
	zend_declare_typed_property(class_entry, property_clientMaxWindowBits_name, &property_clientMaxWindowBits_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_clientMaxWindowBits_name);

	zval property_serverContextTakeover_default_value;
	ZVAL_UNDEF(&property_serverContextTakeover_default_value);
	zend_string *property_serverContextTakeover_name = zend_string_init("serverContextTakeover", sizeof("serverContextTakeover") - 1, 1);
	zend_declare_typed_property(class_entry, property_serverContextTakeover_name, &property_serverContextTakeover_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_serverContextTakeover_name);

	zval property_clientContextTakeover_default_value;
	ZVAL_UNDEF(&property_clientContextTakeover_default_value);
	zend_string *property_clientContextTakeover_name = zend_string_init("clientContextTakeover", sizeof("clientContextTakeover") - 1, 1);
	zend_declare_typed_property(class_entry, property_clientContextTakeover_name, &property_clientContextTakeover_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_clientContextTakeover_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_WebSocket_Server(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\WebSocket", "Server", class_Tusk_WebSocket_Server_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_port_default_value;
	ZVAL_UNDEF(&property_port_default_value);
	zend_string *property_port_name = zend_string_init("port", sizeof("port") - 1, 1);
	zend_declare_typed_property(class_entry, property_port_name, &property_port_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_port_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_WebSocket_Request(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\WebSocket", "Request", class_Tusk_WebSocket_Request_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_method_default_value;
	ZVAL_UNDEF(&property_method_default_value);
	zend_string *property_method_name = zend_string_init("method", sizeof("method") - 1, 1);
	zend_declare_typed_property(class_entry, property_method_name, &property_method_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_method_name);

	zval property_target_default_value;
	ZVAL_UNDEF(&property_target_default_value);
	zend_string *property_target_name = zend_string_init("target", sizeof("target") - 1, 1);
	zend_declare_typed_property(class_entry, property_target_name, &property_target_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_target_name);

	zval property_headers_default_value;
	ZVAL_UNDEF(&property_headers_default_value);
	zend_string *property_headers_name = zend_string_init("headers", sizeof("headers") - 1, 1);
	zend_declare_typed_property(class_entry, property_headers_name, &property_headers_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_headers_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_WebSocket_HandshakeResponse(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\WebSocket", "HandshakeResponse", class_Tusk_WebSocket_HandshakeResponse_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_status_default_value;
	ZVAL_UNDEF(&property_status_default_value);
	zend_string *property_status_name = zend_string_init("status", sizeof("status") - 1, 1);
	zend_declare_typed_property(class_entry, property_status_name, &property_status_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_status_name);

	zval property_headers_default_value;
	ZVAL_UNDEF(&property_headers_default_value);
	zend_string *property_headers_name = zend_string_init("headers", sizeof("headers") - 1, 1);
	zend_declare_typed_property(class_entry, property_headers_name, &property_headers_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_headers_name);

	zval property_body_default_value;
	ZVAL_UNDEF(&property_body_default_value);
	zend_string *property_body_name = zend_string_init("body", sizeof("body") - 1, 1);
	zend_declare_typed_property(class_entry, property_body_name, &property_body_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_body_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_WebSocket_HandshakeException(zend_class_entry *class_entry_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\WebSocket", "HandshakeException", class_Tusk_WebSocket_HandshakeException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Exception);
	class_entry->ce_flags |= ZEND_ACC_FINAL;

	zend_string *property_response_class_Tusk_WebSocket_HandshakeResponse = zend_string_init("Tusk\\WebSocket\\HandshakeResponse", sizeof("Tusk\\WebSocket\\HandshakeResponse")-1, 1);
	zval property_response_default_value;
	ZVAL_UNDEF(&property_response_default_value);
	zend_string *property_response_name = zend_string_init("response", sizeof("response") - 1, 1);
	zend_declare_typed_property(class_entry, property_response_name, &property_response_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_CLASS(property_response_class_Tusk_WebSocket_HandshakeResponse, 0, 0));
	zend_string_release(property_response_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_WebSocket_Connection(zend_class_entry *class_entry_IteratorAggregate)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\WebSocket", "Connection", class_Tusk_WebSocket_Connection_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;
	zend_class_implements(class_entry, 1, class_entry_IteratorAggregate);

	zval property_id_default_value;
	ZVAL_UNDEF(&property_id_default_value);
	zend_string *property_id_name = zend_string_init("id", sizeof("id") - 1, 1);
	zend_declare_typed_property(class_entry, property_id_name, &property_id_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_id_name);

	zval property_remoteAddress_default_value;
	ZVAL_UNDEF(&property_remoteAddress_default_value);
	zend_string *property_remoteAddress_name = zend_string_init("remoteAddress", sizeof("remoteAddress") - 1, 1);
	zend_declare_typed_property(class_entry, property_remoteAddress_name, &property_remoteAddress_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_remoteAddress_name);

	zval property_subprotocol_default_value;
	ZVAL_UNDEF(&property_subprotocol_default_value);
	zend_string *property_subprotocol_name = zend_string_init("subprotocol", sizeof("subprotocol") - 1, 1);
	zend_declare_typed_property(class_entry, property_subprotocol_name, &property_subprotocol_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_subprotocol_name);

	zval property_params_default_value;
	ZVAL_UNDEF(&property_params_default_value);
	zend_string *property_params_name = zend_string_init("params", sizeof("params") - 1, 1);
	zend_declare_typed_property(class_entry, property_params_name, &property_params_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_params_name);

	zval property_identity_default_value;
	ZVAL_UNDEF(&property_identity_default_value);
	zend_string *property_identity_name = zend_string_init("identity", sizeof("identity") - 1, 1);
	zend_declare_typed_property(class_entry, property_identity_name, &property_identity_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ANY));
	zend_string_release(property_identity_name);

	zval property_state_default_value;
	ZVAL_NULL(&property_state_default_value);
	zend_string *property_state_name = zend_string_init("state", sizeof("state") - 1, 1);
	zend_declare_typed_property(class_entry, property_state_name, &property_state_default_value, ZEND_ACC_PUBLIC, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ANY));
	zend_string_release(property_state_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_WebSocket_Messages(zend_class_entry *class_entry_Iterator)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\WebSocket", "Messages", class_Tusk_WebSocket_Messages_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;
	zend_class_implements(class_entry, 1, class_entry_Iterator);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_WebSocket_Frame(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\WebSocket", "Frame", class_Tusk_WebSocket_Frame_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zend_string *property_type_class_Tusk_WebSocket_MessageType = zend_string_init("Tusk\\WebSocket\\MessageType", sizeof("Tusk\\WebSocket\\MessageType")-1, 1);
	zval property_type_default_value;
	ZVAL_UNDEF(&property_type_default_value);
	zend_string *property_type_name = zend_string_init("type", sizeof("type") - 1, 1);
	zend_declare_typed_property(class_entry, property_type_name, &property_type_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_CLASS(property_type_class_Tusk_WebSocket_MessageType, 0, 0));
	zend_string_release(property_type_name);

	zval property_opcode_default_value;
	ZVAL_UNDEF(&property_opcode_default_value);
	zend_string *property_opcode_name = zend_string_init("opcode", sizeof("opcode") - 1, 1);
	zend_declare_typed_property(class_entry, property_opcode_name, &property_opcode_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_opcode_name);

	zval property_flags_default_value;
	ZVAL_UNDEF(&property_flags_default_value);
	zend_string *property_flags_name = zend_string_init("flags", sizeof("flags") - 1, 1);
	zend_declare_typed_property(class_entry, property_flags_name, &property_flags_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_flags_name);

	zval property_payload_default_value;
	ZVAL_UNDEF(&property_payload_default_value);
	zend_string *property_payload_name = zend_string_init("payload", sizeof("payload") - 1, 1);
	zend_declare_typed_property(class_entry, property_payload_name, &property_payload_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_payload_name);

	zval property_final_default_value;
	ZVAL_UNDEF(&property_final_default_value);
	zend_string *property_final_name = zend_string_init("final", sizeof("final") - 1, 1);
	zend_declare_typed_property(class_entry, property_final_name, &property_final_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_final_name);

	zval property_bytesConsumed_default_value;
	ZVAL_UNDEF(&property_bytesConsumed_default_value);
	zend_string *property_bytesConsumed_name = zend_string_init("bytesConsumed", sizeof("bytesConsumed") - 1, 1);
	zend_declare_typed_property(class_entry, property_bytesConsumed_name, &property_bytesConsumed_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_bytesConsumed_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_WebSocket_CloseFrame(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\WebSocket", "CloseFrame", class_Tusk_WebSocket_CloseFrame_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_code_default_value;
	ZVAL_UNDEF(&property_code_default_value);
	zend_string *property_code_name = zend_string_init("code", sizeof("code") - 1, 1);
	zend_declare_typed_property(class_entry, property_code_name, &property_code_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_code_name);

	zval property_reason_default_value;
	ZVAL_UNDEF(&property_reason_default_value);
	zend_string *property_reason_name = zend_string_init("reason", sizeof("reason") - 1, 1);
	zend_declare_typed_property(class_entry, property_reason_name, &property_reason_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_reason_name);

	zval property_flags_default_value;
	ZVAL_UNDEF(&property_flags_default_value);
	zend_string *property_flags_name = zend_string_init("flags", sizeof("flags") - 1, 1);
	zend_declare_typed_property(class_entry, property_flags_name, &property_flags_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_flags_name);

	zval property_bytesConsumed_default_value;
	ZVAL_UNDEF(&property_bytesConsumed_default_value);
	zend_string *property_bytesConsumed_name = zend_string_init("bytesConsumed", sizeof("bytesConsumed") - 1, 1);
	zend_declare_typed_property(class_entry, property_bytesConsumed_name, &property_bytesConsumed_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_bytesConsumed_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_WebSocket_Protocol(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\WebSocket", "Protocol", class_Tusk_WebSocket_Protocol_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NOT_SERIALIZABLE;

	zval const_OPCODE_CONTINUATION_value;
	ZVAL_LONG(&const_OPCODE_CONTINUATION_value, 0);
	zend_string *const_OPCODE_CONTINUATION_name = zend_string_init_interned("OPCODE_CONTINUATION", sizeof("OPCODE_CONTINUATION") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_OPCODE_CONTINUATION_name, &const_OPCODE_CONTINUATION_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_OPCODE_CONTINUATION_name);

	zval const_OPCODE_TEXT_value;
	ZVAL_LONG(&const_OPCODE_TEXT_value, 1);
	zend_string *const_OPCODE_TEXT_name = zend_string_init_interned("OPCODE_TEXT", sizeof("OPCODE_TEXT") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_OPCODE_TEXT_name, &const_OPCODE_TEXT_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_OPCODE_TEXT_name);

	zval const_OPCODE_BINARY_value;
	ZVAL_LONG(&const_OPCODE_BINARY_value, 2);
	zend_string *const_OPCODE_BINARY_name = zend_string_init_interned("OPCODE_BINARY", sizeof("OPCODE_BINARY") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_OPCODE_BINARY_name, &const_OPCODE_BINARY_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_OPCODE_BINARY_name);

	zval const_OPCODE_CLOSE_value;
	ZVAL_LONG(&const_OPCODE_CLOSE_value, 8);
	zend_string *const_OPCODE_CLOSE_name = zend_string_init_interned("OPCODE_CLOSE", sizeof("OPCODE_CLOSE") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_OPCODE_CLOSE_name, &const_OPCODE_CLOSE_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_OPCODE_CLOSE_name);

	zval const_OPCODE_PING_value;
	ZVAL_LONG(&const_OPCODE_PING_value, 9);
	zend_string *const_OPCODE_PING_name = zend_string_init_interned("OPCODE_PING", sizeof("OPCODE_PING") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_OPCODE_PING_name, &const_OPCODE_PING_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_OPCODE_PING_name);

	zval const_OPCODE_PONG_value;
	ZVAL_LONG(&const_OPCODE_PONG_value, 10);
	zend_string *const_OPCODE_PONG_name = zend_string_init_interned("OPCODE_PONG", sizeof("OPCODE_PONG") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_OPCODE_PONG_name, &const_OPCODE_PONG_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_OPCODE_PONG_name);

	zval const_FLAG_FIN_value;
	ZVAL_LONG(&const_FLAG_FIN_value, 1);
	zend_string *const_FLAG_FIN_name = zend_string_init_interned("FLAG_FIN", sizeof("FLAG_FIN") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_FLAG_FIN_name, &const_FLAG_FIN_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_FLAG_FIN_name);

	zval const_FLAG_COMPRESS_value;
	ZVAL_LONG(&const_FLAG_COMPRESS_value, 2);
	zend_string *const_FLAG_COMPRESS_name = zend_string_init_interned("FLAG_COMPRESS", sizeof("FLAG_COMPRESS") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_FLAG_COMPRESS_name, &const_FLAG_COMPRESS_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_FLAG_COMPRESS_name);

	zval const_FLAG_RSV1_value;
	ZVAL_LONG(&const_FLAG_RSV1_value, 4);
	zend_string *const_FLAG_RSV1_name = zend_string_init_interned("FLAG_RSV1", sizeof("FLAG_RSV1") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_FLAG_RSV1_name, &const_FLAG_RSV1_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_FLAG_RSV1_name);

	zval const_FLAG_RSV2_value;
	ZVAL_LONG(&const_FLAG_RSV2_value, 8);
	zend_string *const_FLAG_RSV2_name = zend_string_init_interned("FLAG_RSV2", sizeof("FLAG_RSV2") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_FLAG_RSV2_name, &const_FLAG_RSV2_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_FLAG_RSV2_name);

	zval const_FLAG_RSV3_value;
	ZVAL_LONG(&const_FLAG_RSV3_value, 16);
	zend_string *const_FLAG_RSV3_name = zend_string_init_interned("FLAG_RSV3", sizeof("FLAG_RSV3") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_FLAG_RSV3_name, &const_FLAG_RSV3_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_FLAG_RSV3_name);

	zval const_FLAG_MASK_value;
	ZVAL_LONG(&const_FLAG_MASK_value, 32);
	zend_string *const_FLAG_MASK_name = zend_string_init_interned("FLAG_MASK", sizeof("FLAG_MASK") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_FLAG_MASK_name, &const_FLAG_MASK_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_FLAG_MASK_name);

	zval const_CLOSE_NORMAL_value;
	ZVAL_LONG(&const_CLOSE_NORMAL_value, 1000);
	zend_string *const_CLOSE_NORMAL_name = zend_string_init_interned("CLOSE_NORMAL", sizeof("CLOSE_NORMAL") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_CLOSE_NORMAL_name, &const_CLOSE_NORMAL_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_CLOSE_NORMAL_name);

	zval const_CLOSE_GOING_AWAY_value;
	ZVAL_LONG(&const_CLOSE_GOING_AWAY_value, 1001);
	zend_string *const_CLOSE_GOING_AWAY_name = zend_string_init_interned("CLOSE_GOING_AWAY", sizeof("CLOSE_GOING_AWAY") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_CLOSE_GOING_AWAY_name, &const_CLOSE_GOING_AWAY_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_CLOSE_GOING_AWAY_name);

	zval const_CLOSE_PROTOCOL_ERROR_value;
	ZVAL_LONG(&const_CLOSE_PROTOCOL_ERROR_value, 1002);
	zend_string *const_CLOSE_PROTOCOL_ERROR_name = zend_string_init_interned("CLOSE_PROTOCOL_ERROR", sizeof("CLOSE_PROTOCOL_ERROR") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_CLOSE_PROTOCOL_ERROR_name, &const_CLOSE_PROTOCOL_ERROR_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_CLOSE_PROTOCOL_ERROR_name);

	zval const_CLOSE_UNSUPPORTED_DATA_value;
	ZVAL_LONG(&const_CLOSE_UNSUPPORTED_DATA_value, 1003);
	zend_string *const_CLOSE_UNSUPPORTED_DATA_name = zend_string_init_interned("CLOSE_UNSUPPORTED_DATA", sizeof("CLOSE_UNSUPPORTED_DATA") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_CLOSE_UNSUPPORTED_DATA_name, &const_CLOSE_UNSUPPORTED_DATA_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_CLOSE_UNSUPPORTED_DATA_name);

	zval const_CLOSE_NO_STATUS_value;
	ZVAL_LONG(&const_CLOSE_NO_STATUS_value, 1005);
	zend_string *const_CLOSE_NO_STATUS_name = zend_string_init_interned("CLOSE_NO_STATUS", sizeof("CLOSE_NO_STATUS") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_CLOSE_NO_STATUS_name, &const_CLOSE_NO_STATUS_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_CLOSE_NO_STATUS_name);

	zval const_CLOSE_ABNORMAL_value;
	ZVAL_LONG(&const_CLOSE_ABNORMAL_value, 1006);
	zend_string *const_CLOSE_ABNORMAL_name = zend_string_init_interned("CLOSE_ABNORMAL", sizeof("CLOSE_ABNORMAL") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_CLOSE_ABNORMAL_name, &const_CLOSE_ABNORMAL_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_CLOSE_ABNORMAL_name);

	zval const_CLOSE_INVALID_PAYLOAD_value;
	ZVAL_LONG(&const_CLOSE_INVALID_PAYLOAD_value, 1007);
	zend_string *const_CLOSE_INVALID_PAYLOAD_name = zend_string_init_interned("CLOSE_INVALID_PAYLOAD", sizeof("CLOSE_INVALID_PAYLOAD") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_CLOSE_INVALID_PAYLOAD_name, &const_CLOSE_INVALID_PAYLOAD_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_CLOSE_INVALID_PAYLOAD_name);

	zval const_CLOSE_POLICY_VIOLATION_value;
	ZVAL_LONG(&const_CLOSE_POLICY_VIOLATION_value, 1008);
	zend_string *const_CLOSE_POLICY_VIOLATION_name = zend_string_init_interned("CLOSE_POLICY_VIOLATION", sizeof("CLOSE_POLICY_VIOLATION") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_CLOSE_POLICY_VIOLATION_name, &const_CLOSE_POLICY_VIOLATION_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_CLOSE_POLICY_VIOLATION_name);

	zval const_CLOSE_MESSAGE_TOO_BIG_value;
	ZVAL_LONG(&const_CLOSE_MESSAGE_TOO_BIG_value, 1009);
	zend_string *const_CLOSE_MESSAGE_TOO_BIG_name = zend_string_init_interned("CLOSE_MESSAGE_TOO_BIG", sizeof("CLOSE_MESSAGE_TOO_BIG") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_CLOSE_MESSAGE_TOO_BIG_name, &const_CLOSE_MESSAGE_TOO_BIG_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_CLOSE_MESSAGE_TOO_BIG_name);

	zval const_CLOSE_EXTENSION_MISSING_value;
	ZVAL_LONG(&const_CLOSE_EXTENSION_MISSING_value, 1010);
	zend_string *const_CLOSE_EXTENSION_MISSING_name = zend_string_init_interned("CLOSE_EXTENSION_MISSING", sizeof("CLOSE_EXTENSION_MISSING") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_CLOSE_EXTENSION_MISSING_name, &const_CLOSE_EXTENSION_MISSING_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_CLOSE_EXTENSION_MISSING_name);

	zval const_CLOSE_SERVER_ERROR_value;
	ZVAL_LONG(&const_CLOSE_SERVER_ERROR_value, 1011);
	zend_string *const_CLOSE_SERVER_ERROR_name = zend_string_init_interned("CLOSE_SERVER_ERROR", sizeof("CLOSE_SERVER_ERROR") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_CLOSE_SERVER_ERROR_name, &const_CLOSE_SERVER_ERROR_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_CLOSE_SERVER_ERROR_name);

	zval const_CLOSE_TLS_value;
	ZVAL_LONG(&const_CLOSE_TLS_value, 1015);
	zend_string *const_CLOSE_TLS_name = zend_string_init_interned("CLOSE_TLS", sizeof("CLOSE_TLS") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_CLOSE_TLS_name, &const_CLOSE_TLS_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_CLOSE_TLS_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_WebSocket_Frames(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\WebSocket", "Frames", class_Tusk_WebSocket_Frames_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_Tusk_WebSocket_Client(zend_class_entry *class_entry_IteratorAggregate)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\WebSocket", "Client", class_Tusk_WebSocket_Client_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;
	zend_class_implements(class_entry, 1, class_entry_IteratorAggregate);

	zval property_subprotocol_default_value;
	ZVAL_UNDEF(&property_subprotocol_default_value);
	zend_string *property_subprotocol_name = zend_string_init("subprotocol", sizeof("subprotocol") - 1, 1);
	zend_declare_typed_property(class_entry, property_subprotocol_name, &property_subprotocol_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_subprotocol_name);

	zval property_closeCode_default_value;
	ZVAL_UNDEF(&property_closeCode_default_value);
	zend_string *property_closeCode_name = zend_string_init("closeCode", sizeof("closeCode") - 1, 1);
	zend_declare_typed_property(class_entry, property_closeCode_name, &property_closeCode_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG|MAY_BE_NULL));
	zend_string_release(property_closeCode_name);

	zval property_closeReason_default_value;
	ZVAL_UNDEF(&property_closeReason_default_value);
	zend_string *property_closeReason_name = zend_string_init("closeReason", sizeof("closeReason") - 1, 1);
	zend_declare_typed_property(class_entry, property_closeReason_name, &property_closeReason_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_closeReason_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Proxy_Engine(void)
{
	zend_class_entry *class_entry = zend_register_internal_enum("Tusk\\Proxy\\Engine", IS_UNDEF, class_Tusk_Proxy_Engine_methods);

	zend_enum_add_case_cstr(class_entry, "Copy", NULL);

	zend_enum_add_case_cstr(class_entry, "Splice", NULL);

	zend_enum_add_case_cstr(class_entry, "Uring", NULL);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Proxy_Sockmap(void)
{
	zend_class_entry *class_entry = zend_register_internal_enum("Tusk\\Proxy\\Sockmap", IS_UNDEF, class_Tusk_Proxy_Sockmap_methods);

	zend_enum_add_case_cstr(class_entry, "Off", NULL);

	zend_enum_add_case_cstr(class_entry, "On", NULL);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Proxy_First(void)
{
	zend_class_entry *class_entry = zend_register_internal_enum("Tusk\\Proxy\\First", IS_UNDEF, class_Tusk_Proxy_First_methods);

	zend_enum_add_case_cstr(class_entry, "Server", NULL);

	zend_enum_add_case_cstr(class_entry, "Client", NULL);

	zend_enum_add_case_cstr(class_entry, "Wait", NULL);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Proxy_Protocol(void)
{
	zend_class_entry *class_entry = zend_register_internal_enum("Tusk\\Proxy\\Protocol", IS_UNDEF, class_Tusk_Proxy_Protocol_methods);

	zend_enum_add_case_cstr(class_entry, "Auto", NULL);

	zend_enum_add_case_cstr(class_entry, "Raw", NULL);

	zend_enum_add_case_cstr(class_entry, "Tls", NULL);

	zend_enum_add_case_cstr(class_entry, "Postgres", NULL);

	zend_enum_add_case_cstr(class_entry, "Mysql", NULL);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Proxy_Forward(void)
{
	zend_class_entry *class_entry = zend_register_internal_enum("Tusk\\Proxy\\Forward", IS_UNDEF, class_Tusk_Proxy_Forward_methods);

	zend_enum_add_case_cstr(class_entry, "Off", NULL);

	zend_enum_add_case_cstr(class_entry, "Append", NULL);

	zend_enum_add_case_cstr(class_entry, "Set", NULL);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Proxy_TlsMode(void)
{
	zend_class_entry *class_entry = zend_register_internal_enum("Tusk\\Proxy\\TlsMode", IS_UNDEF, class_Tusk_Proxy_TlsMode_methods);

	zend_enum_add_case_cstr(class_entry, "Disable", NULL);

	zend_enum_add_case_cstr(class_entry, "Allow", NULL);

	zend_enum_add_case_cstr(class_entry, "Require", NULL);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Proxy_Target(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Proxy", "Target", class_Tusk_Proxy_Target_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_address_default_value;
	ZVAL_UNDEF(&property_address_default_value);
	zend_string *property_address_name = zend_string_init("address", sizeof("address") - 1, 1);
	zend_declare_typed_property(class_entry, property_address_name, &property_address_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_address_name);

	zval property_weight_default_value;
	ZVAL_UNDEF(&property_weight_default_value);
	zend_string *property_weight_name = zend_string_init("weight", sizeof("weight") - 1, 1);
	zend_declare_typed_property(class_entry, property_weight_name, &property_weight_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_weight_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Proxy_UpstreamTls(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Proxy", "UpstreamTls", class_Tusk_Proxy_UpstreamTls_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_require_default_value;
	ZVAL_UNDEF(&property_require_default_value);
	zend_string *property_require_name = zend_string_init("require", sizeof("require") - 1, 1);
	zend_declare_typed_property(class_entry, property_require_name, &property_require_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_require_name);

	zval property_name_default_value;
	ZVAL_UNDEF(&property_name_default_value);
	zend_string *property_name_name = zend_string_init("name", sizeof("name") - 1, 1);
	zend_declare_typed_property(class_entry, property_name_name, &property_name_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_name_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Proxy_Route(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Proxy", "Route", class_Tusk_Proxy_Route_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_targets_default_value;
	ZVAL_UNDEF(&property_targets_default_value);
	zend_string *property_targets_name = zend_string_init("targets", sizeof("targets") - 1, 1);
	zend_declare_typed_property(class_entry, property_targets_name, &property_targets_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_targets_name);

	zval property_metadata_default_value;
	ZVAL_UNDEF(&property_metadata_default_value);
	zend_string *property_metadata_name = zend_string_init("metadata", sizeof("metadata") - 1, 1);
	zend_declare_typed_property(class_entry, property_metadata_name, &property_metadata_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_metadata_name);

	zval property_ttl_default_value;
	ZVAL_UNDEF(&property_ttl_default_value);
	zend_string *property_ttl_name = zend_string_init("ttl", sizeof("ttl") - 1, 1);
	zend_declare_typed_property(class_entry, property_ttl_name, &property_ttl_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE));
	zend_string_release(property_ttl_name);

	zval property_connectTimeout_default_value;
	ZVAL_UNDEF(&property_connectTimeout_default_value);
	zend_string *property_connectTimeout_name = zend_string_init("connectTimeout", sizeof("connectTimeout") - 1, 1);
	zend_declare_typed_property(class_entry, property_connectTimeout_name, &property_connectTimeout_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE|MAY_BE_NULL));
	zend_string_release(property_connectTimeout_name);

	zval property_idleTimeout_default_value;
	ZVAL_UNDEF(&property_idleTimeout_default_value);
	zend_string *property_idleTimeout_name = zend_string_init("idleTimeout", sizeof("idleTimeout") - 1, 1);
	zend_declare_typed_property(class_entry, property_idleTimeout_name, &property_idleTimeout_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE|MAY_BE_NULL));
	zend_string_release(property_idleTimeout_name);

	zval property_proxyProtocol_default_value;
	ZVAL_UNDEF(&property_proxyProtocol_default_value);
	zend_string *property_proxyProtocol_name = zend_string_init("proxyProtocol", sizeof("proxyProtocol") - 1, 1);
	zend_declare_typed_property(class_entry, property_proxyProtocol_name, &property_proxyProtocol_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_proxyProtocol_name);

	zend_string *property_tls_class_Tusk_Proxy_UpstreamTls = zend_string_init("Tusk\\Proxy\\\125pstreamTls", sizeof("Tusk\\Proxy\\\125pstreamTls")-1, 1);
	zval property_tls_default_value;
	ZVAL_UNDEF(&property_tls_default_value);
	zend_string *property_tls_name = zend_string_init("tls", sizeof("tls") - 1, 1);
	zend_declare_typed_property(class_entry, property_tls_name, &property_tls_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_CLASS(property_tls_class_Tusk_Proxy_UpstreamTls, 0, MAY_BE_NULL));
	zend_string_release(property_tls_name);

	zval property_first_default_value;
	ZVAL_UNDEF(&property_first_default_value);
	zend_string *property_first_name = zend_string_init("first", sizeof("first") - 1, 1);
	zend_declare_typed_property(class_entry, property_first_name, &property_first_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_first_name);

	zval property_user_default_value;
	ZVAL_UNDEF(&property_user_default_value);
	zend_string *property_user_name = zend_string_init("user", sizeof("user") - 1, 1);
	zend_declare_typed_property(class_entry, property_user_name, &property_user_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_user_name);

	zval property_database_default_value;
	ZVAL_UNDEF(&property_database_default_value);
	zend_string *property_database_name = zend_string_init("database", sizeof("database") - 1, 1);
	zend_declare_typed_property(class_entry, property_database_name, &property_database_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_database_name);

	zval property_host_default_value;
	ZVAL_UNDEF(&property_host_default_value);
	zend_string *property_host_name = zend_string_init("host", sizeof("host") - 1, 1);
	zend_declare_typed_property(class_entry, property_host_name, &property_host_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_host_name);

	zend_string *property_response_class_Tusk_Http_Response = zend_string_init("Tusk\\Http\\Response", sizeof("Tusk\\Http\\Response")-1, 1);
	zval property_response_default_value;
	ZVAL_UNDEF(&property_response_default_value);
	zend_string *property_response_name = zend_string_init("response", sizeof("response") - 1, 1);
	zend_declare_typed_property(class_entry, property_response_name, &property_response_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_CLASS(property_response_class_Tusk_Http_Response, 0, MAY_BE_NULL));
	zend_string_release(property_response_name);

	zval property_name_default_value;
	ZVAL_UNDEF(&property_name_default_value);
	zend_string *property_name_name = zend_string_init("name", sizeof("name") - 1, 1);
	zend_declare_typed_property(class_entry, property_name_name, &property_name_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_name_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Proxy_Refused(zend_class_entry *class_entry_Tusk_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Proxy", "Refused", class_Tusk_Proxy_Refused_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Tusk_Exception);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES;

	zval property_ttl_default_value;
	ZVAL_UNDEF(&property_ttl_default_value);
	zend_string *property_ttl_name = zend_string_init("ttl", sizeof("ttl") - 1, 1);
	zend_declare_typed_property(class_entry, property_ttl_name, &property_ttl_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE));
	zend_string_release(property_ttl_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Proxy_Lookup(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Proxy", "Lookup", class_Tusk_Proxy_Lookup_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_listener_default_value;
	ZVAL_UNDEF(&property_listener_default_value);
	zend_string *property_listener_name = zend_string_init("listener", sizeof("listener") - 1, 1);
	zend_declare_typed_property(class_entry, property_listener_name, &property_listener_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_listener_name);

	zval property_peer_default_value;
	ZVAL_UNDEF(&property_peer_default_value);
	zend_string *property_peer_name = zend_string_init("peer", sizeof("peer") - 1, 1);
	zend_declare_typed_property(class_entry, property_peer_name, &property_peer_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_peer_name);

	zval property_peerPort_default_value;
	ZVAL_UNDEF(&property_peerPort_default_value);
	zend_string *property_peerPort_name = zend_string_init("peerPort", sizeof("peerPort") - 1, 1);
	zend_declare_typed_property(class_entry, property_peerPort_name, &property_peerPort_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG|MAY_BE_NULL));
	zend_string_release(property_peerPort_name);

	zval property_destination_default_value;
	ZVAL_UNDEF(&property_destination_default_value);
	zend_string *property_destination_name = zend_string_init("destination", sizeof("destination") - 1, 1);
	zend_declare_typed_property(class_entry, property_destination_name, &property_destination_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_destination_name);

	zval property_serverName_default_value;
	ZVAL_UNDEF(&property_serverName_default_value);
	zend_string *property_serverName_name = zend_string_init("serverName", sizeof("serverName") - 1, 1);
	zend_declare_typed_property(class_entry, property_serverName_name, &property_serverName_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_serverName_name);

	zval property_alpn_default_value;
	ZVAL_UNDEF(&property_alpn_default_value);
	zend_string *property_alpn_name = zend_string_init("alpn", sizeof("alpn") - 1, 1);
	zend_declare_typed_property(class_entry, property_alpn_name, &property_alpn_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_alpn_name);

	zval property_host_default_value;
	ZVAL_UNDEF(&property_host_default_value);
	zend_string *property_host_name = zend_string_init("host", sizeof("host") - 1, 1);
	zend_declare_typed_property(class_entry, property_host_name, &property_host_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_host_name);

	zval property_method_default_value;
	ZVAL_UNDEF(&property_method_default_value);
	zend_string *property_method_name = zend_string_init("method", sizeof("method") - 1, 1);
	zend_declare_typed_property(class_entry, property_method_name, &property_method_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_method_name);

	zval property_path_default_value;
	ZVAL_UNDEF(&property_path_default_value);
	zend_string *property_path_name = zend_string_init("path", sizeof("path") - 1, 1);
	zend_declare_typed_property(class_entry, property_path_name, &property_path_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_path_name);

	zval property_user_default_value;
	ZVAL_UNDEF(&property_user_default_value);
	zend_string *property_user_name = zend_string_init("user", sizeof("user") - 1, 1);
	zend_declare_typed_property(class_entry, property_user_name, &property_user_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_user_name);

	zval property_database_default_value;
	ZVAL_UNDEF(&property_database_default_value);
	zend_string *property_database_name = zend_string_init("database", sizeof("database") - 1, 1);
	zend_declare_typed_property(class_entry, property_database_name, &property_database_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_database_name);

	zval property_application_default_value;
	ZVAL_UNDEF(&property_application_default_value);
	zend_string *property_application_name = zend_string_init("application", sizeof("application") - 1, 1);
	zend_declare_typed_property(class_entry, property_application_name, &property_application_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_application_name);

	zval property_domain_default_value;
	ZVAL_UNDEF(&property_domain_default_value);
	zend_string *property_domain_name = zend_string_init("domain", sizeof("domain") - 1, 1);
	zend_declare_typed_property(class_entry, property_domain_name, &property_domain_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_domain_name);

	zval property_authority_default_value;
	ZVAL_UNDEF(&property_authority_default_value);
	zend_string *property_authority_name = zend_string_init("authority", sizeof("authority") - 1, 1);
	zend_declare_typed_property(class_entry, property_authority_name, &property_authority_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_authority_name);

	zval property_first_default_value;
	ZVAL_UNDEF(&property_first_default_value);
	zend_string *property_first_name = zend_string_init("first", sizeof("first") - 1, 1);
	zend_declare_typed_property(class_entry, property_first_name, &property_first_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_first_name);

	zend_string *property_certificate_class_Tusk_Certificate = zend_string_init("Tusk\\Certificate", sizeof("Tusk\\Certificate")-1, 1);
	zval property_certificate_default_value;
	ZVAL_UNDEF(&property_certificate_default_value);
	zend_string *property_certificate_name = zend_string_init("certificate", sizeof("certificate") - 1, 1);
	zend_declare_typed_property(class_entry, property_certificate_name, &property_certificate_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_CLASS(property_certificate_class_Tusk_Certificate, 0, MAY_BE_NULL));
	zend_string_release(property_certificate_name);

	zval property_secure_default_value;
	ZVAL_UNDEF(&property_secure_default_value);
	zend_string *property_secure_name = zend_string_init("secure", sizeof("secure") - 1, 1);
	zend_declare_typed_property(class_entry, property_secure_name, &property_secure_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_secure_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Proxy_Resolver(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Proxy", "Resolver", class_Tusk_Proxy_Resolver_methods);
	class_entry = zend_register_internal_interface(&ce);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Proxy_Reloadable(zend_class_entry *class_entry_Tusk_Proxy_Resolver)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Proxy", "Reloadable", class_Tusk_Proxy_Reloadable_methods);
	class_entry = zend_register_internal_interface(&ce);
	zend_class_implements(class_entry, 1, class_entry_Tusk_Proxy_Resolver);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Proxy_Reopenable(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Proxy", "Reopenable", class_Tusk_Proxy_Reopenable_methods);
	class_entry = zend_register_internal_interface(&ce);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Proxy_Validation(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Proxy", "Validation", class_Tusk_Proxy_Validation_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_anyAddress_default_value;
	ZVAL_UNDEF(&property_anyAddress_default_value);
	zend_string *property_anyAddress_name = zend_string_init("anyAddress", sizeof("anyAddress") - 1, 1);
	zend_declare_typed_property(class_entry, property_anyAddress_name, &property_anyAddress_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_anyAddress_name);

	zval property_allowed_default_value;
	ZVAL_UNDEF(&property_allowed_default_value);
	zend_string *property_allowed_name = zend_string_init("allowed", sizeof("allowed") - 1, 1);
	zend_declare_typed_property(class_entry, property_allowed_name, &property_allowed_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_allowed_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Proxy_Limits(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Proxy", "Limits", class_Tusk_Proxy_Limits_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_connections_default_value;
	ZVAL_UNDEF(&property_connections_default_value);
	zend_string *property_connections_name = zend_string_init("connections", sizeof("connections") - 1, 1);
	zend_declare_typed_property(class_entry, property_connections_name, &property_connections_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_connections_name);

	zval property_perListener_default_value;
	ZVAL_UNDEF(&property_perListener_default_value);
	zend_string *property_perListener_name = zend_string_init("perListener", sizeof("perListener") - 1, 1);
	zend_declare_typed_property(class_entry, property_perListener_name, &property_perListener_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_perListener_name);

	zval property_perSource_default_value;
	ZVAL_UNDEF(&property_perSource_default_value);
	zend_string *property_perSource_name = zend_string_init("perSource", sizeof("perSource") - 1, 1);
	zend_declare_typed_property(class_entry, property_perSource_name, &property_perSource_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_perSource_name);

	zval property_perTarget_default_value;
	ZVAL_UNDEF(&property_perTarget_default_value);
	zend_string *property_perTarget_name = zend_string_init("perTarget", sizeof("perTarget") - 1, 1);
	zend_declare_typed_property(class_entry, property_perTarget_name, &property_perTarget_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_perTarget_name);

	zval property_ratePerSource_default_value;
	ZVAL_UNDEF(&property_ratePerSource_default_value);
	zend_string *property_ratePerSource_name = zend_string_init("ratePerSource", sizeof("ratePerSource") - 1, 1);
	zend_declare_typed_property(class_entry, property_ratePerSource_name, &property_ratePerSource_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_ratePerSource_name);

	zval property_lookups_default_value;
	ZVAL_UNDEF(&property_lookups_default_value);
	zend_string *property_lookups_name = zend_string_init("lookups", sizeof("lookups") - 1, 1);
	zend_declare_typed_property(class_entry, property_lookups_name, &property_lookups_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_lookups_name);

	zval property_routes_default_value;
	ZVAL_UNDEF(&property_routes_default_value);
	zend_string *property_routes_name = zend_string_init("routes", sizeof("routes") - 1, 1);
	zend_declare_typed_property(class_entry, property_routes_name, &property_routes_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_routes_name);

	zval property_firstBytes_default_value;
	ZVAL_UNDEF(&property_firstBytes_default_value);
	zend_string *property_firstBytes_name = zend_string_init("firstBytes", sizeof("firstBytes") - 1, 1);
	zend_declare_typed_property(class_entry, property_firstBytes_name, &property_firstBytes_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_firstBytes_name);

	zval property_pendingBytes_default_value;
	ZVAL_UNDEF(&property_pendingBytes_default_value);
	zend_string *property_pendingBytes_name = zend_string_init("pendingBytes", sizeof("pendingBytes") - 1, 1);
	zend_declare_typed_property(class_entry, property_pendingBytes_name, &property_pendingBytes_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_pendingBytes_name);

	zval property_waitMs_default_value;
	ZVAL_UNDEF(&property_waitMs_default_value);
	zend_string *property_waitMs_name = zend_string_init("waitMs", sizeof("waitMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_waitMs_name, &property_waitMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_waitMs_name);

	zval property_firstMs_default_value;
	ZVAL_UNDEF(&property_firstMs_default_value);
	zend_string *property_firstMs_name = zend_string_init("firstMs", sizeof("firstMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_firstMs_name, &property_firstMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_firstMs_name);

	zval property_resolveMs_default_value;
	ZVAL_UNDEF(&property_resolveMs_default_value);
	zend_string *property_resolveMs_name = zend_string_init("resolveMs", sizeof("resolveMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_resolveMs_name, &property_resolveMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_resolveMs_name);

	zval property_connectMs_default_value;
	ZVAL_UNDEF(&property_connectMs_default_value);
	zend_string *property_connectMs_name = zend_string_init("connectMs", sizeof("connectMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_connectMs_name, &property_connectMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_connectMs_name);

	zval property_connectTotalMs_default_value;
	ZVAL_UNDEF(&property_connectTotalMs_default_value);
	zend_string *property_connectTotalMs_name = zend_string_init("connectTotalMs", sizeof("connectTotalMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_connectTotalMs_name, &property_connectTotalMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_connectTotalMs_name);

	zval property_backendFirstMs_default_value;
	ZVAL_UNDEF(&property_backendFirstMs_default_value);
	zend_string *property_backendFirstMs_name = zend_string_init("backendFirstMs", sizeof("backendFirstMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_backendFirstMs_name, &property_backendFirstMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_backendFirstMs_name);

	zval property_idleMs_default_value;
	ZVAL_UNDEF(&property_idleMs_default_value);
	zend_string *property_idleMs_name = zend_string_init("idleMs", sizeof("idleMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_idleMs_name, &property_idleMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_idleMs_name);

	zval property_halfClosedMs_default_value;
	ZVAL_UNDEF(&property_halfClosedMs_default_value);
	zend_string *property_halfClosedMs_name = zend_string_init("halfClosedMs", sizeof("halfClosedMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_halfClosedMs_name, &property_halfClosedMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_halfClosedMs_name);

	zval property_ageMs_default_value;
	ZVAL_UNDEF(&property_ageMs_default_value);
	zend_string *property_ageMs_name = zend_string_init("ageMs", sizeof("ageMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_ageMs_name, &property_ageMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_ageMs_name);

	zval property_drainMs_default_value;
	ZVAL_UNDEF(&property_drainMs_default_value);
	zend_string *property_drainMs_name = zend_string_init("drainMs", sizeof("drainMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_drainMs_name, &property_drainMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_drainMs_name);

	zval property_keepIdleS_default_value;
	ZVAL_UNDEF(&property_keepIdleS_default_value);
	zend_string *property_keepIdleS_name = zend_string_init("keepIdleS", sizeof("keepIdleS") - 1, 1);
	zend_declare_typed_property(class_entry, property_keepIdleS_name, &property_keepIdleS_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_keepIdleS_name);

	zval property_keepIntervalS_default_value;
	ZVAL_UNDEF(&property_keepIntervalS_default_value);
	zend_string *property_keepIntervalS_name = zend_string_init("keepIntervalS", sizeof("keepIntervalS") - 1, 1);
	zend_declare_typed_property(class_entry, property_keepIntervalS_name, &property_keepIntervalS_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_keepIntervalS_name);

	zval property_keepCount_default_value;
	ZVAL_UNDEF(&property_keepCount_default_value);
	zend_string *property_keepCount_name = zend_string_init("keepCount", sizeof("keepCount") - 1, 1);
	zend_declare_typed_property(class_entry, property_keepCount_name, &property_keepCount_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_keepCount_name);

	zval property_userTimeoutMs_default_value;
	ZVAL_UNDEF(&property_userTimeoutMs_default_value);
	zend_string *property_userTimeoutMs_name = zend_string_init("userTimeoutMs", sizeof("userTimeoutMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_userTimeoutMs_name, &property_userTimeoutMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_userTimeoutMs_name);

	zval property_attempts_default_value;
	ZVAL_UNDEF(&property_attempts_default_value);
	zend_string *property_attempts_name = zend_string_init("attempts", sizeof("attempts") - 1, 1);
	zend_declare_typed_property(class_entry, property_attempts_name, &property_attempts_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_attempts_name);

	zval property_ejectFailures_default_value;
	ZVAL_UNDEF(&property_ejectFailures_default_value);
	zend_string *property_ejectFailures_name = zend_string_init("ejectFailures", sizeof("ejectFailures") - 1, 1);
	zend_declare_typed_property(class_entry, property_ejectFailures_name, &property_ejectFailures_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_ejectFailures_name);

	zval property_ejectMs_default_value;
	ZVAL_UNDEF(&property_ejectMs_default_value);
	zend_string *property_ejectMs_name = zend_string_init("ejectMs", sizeof("ejectMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_ejectMs_name, &property_ejectMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_ejectMs_name);

	zval property_checkMs_default_value;
	ZVAL_UNDEF(&property_checkMs_default_value);
	zend_string *property_checkMs_name = zend_string_init("checkMs", sizeof("checkMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_checkMs_name, &property_checkMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_checkMs_name);

	zval property_checkRise_default_value;
	ZVAL_UNDEF(&property_checkRise_default_value);
	zend_string *property_checkRise_name = zend_string_init("checkRise", sizeof("checkRise") - 1, 1);
	zend_declare_typed_property(class_entry, property_checkRise_name, &property_checkRise_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_checkRise_name);

	zval property_checkFall_default_value;
	ZVAL_UNDEF(&property_checkFall_default_value);
	zend_string *property_checkFall_name = zend_string_init("checkFall", sizeof("checkFall") - 1, 1);
	zend_declare_typed_property(class_entry, property_checkFall_name, &property_checkFall_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_checkFall_name);

	zval property_dnsTtlMs_default_value;
	ZVAL_UNDEF(&property_dnsTtlMs_default_value);
	zend_string *property_dnsTtlMs_name = zend_string_init("dnsTtlMs", sizeof("dnsTtlMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_dnsTtlMs_name, &property_dnsTtlMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_dnsTtlMs_name);

	zval property_dnsStaleMs_default_value;
	ZVAL_UNDEF(&property_dnsStaleMs_default_value);
	zend_string *property_dnsStaleMs_name = zend_string_init("dnsStaleMs", sizeof("dnsStaleMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_dnsStaleMs_name, &property_dnsStaleMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_dnsStaleMs_name);

	zval property_queueMs_default_value;
	ZVAL_UNDEF(&property_queueMs_default_value);
	zend_string *property_queueMs_name = zend_string_init("queueMs", sizeof("queueMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_queueMs_name, &property_queueMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_queueMs_name);

	zval property_notSentBytes_default_value;
	ZVAL_UNDEF(&property_notSentBytes_default_value);
	zend_string *property_notSentBytes_name = zend_string_init("notSentBytes", sizeof("notSentBytes") - 1, 1);
	zend_declare_typed_property(class_entry, property_notSentBytes_name, &property_notSentBytes_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_notSentBytes_name);

	zval property_backlog_default_value;
	ZVAL_UNDEF(&property_backlog_default_value);
	zend_string *property_backlog_name = zend_string_init("backlog", sizeof("backlog") - 1, 1);
	zend_declare_typed_property(class_entry, property_backlog_name, &property_backlog_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_backlog_name);

	zval property_metrics_default_value;
	ZVAL_UNDEF(&property_metrics_default_value);
	zend_string *property_metrics_name = zend_string_init("metrics", sizeof("metrics") - 1, 1);
	zend_declare_typed_property(class_entry, property_metrics_name, &property_metrics_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_metrics_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Proxy_HttpLimits(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Proxy", "HttpLimits", class_Tusk_Proxy_HttpLimits_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_lineBytes_default_value;
	ZVAL_UNDEF(&property_lineBytes_default_value);
	zend_string *property_lineBytes_name = zend_string_init("lineBytes", sizeof("lineBytes") - 1, 1);
	zend_declare_typed_property(class_entry, property_lineBytes_name, &property_lineBytes_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_lineBytes_name);

	zval property_headBytes_default_value;
	ZVAL_UNDEF(&property_headBytes_default_value);
	zend_string *property_headBytes_name = zend_string_init("headBytes", sizeof("headBytes") - 1, 1);
	zend_declare_typed_property(class_entry, property_headBytes_name, &property_headBytes_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_headBytes_name);

	zval property_headFields_default_value;
	ZVAL_UNDEF(&property_headFields_default_value);
	zend_string *property_headFields_name = zend_string_init("headFields", sizeof("headFields") - 1, 1);
	zend_declare_typed_property(class_entry, property_headFields_name, &property_headFields_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_headFields_name);

	zval property_bodyBytes_default_value;
	ZVAL_UNDEF(&property_bodyBytes_default_value);
	zend_string *property_bodyBytes_name = zend_string_init("bodyBytes", sizeof("bodyBytes") - 1, 1);
	zend_declare_typed_property(class_entry, property_bodyBytes_name, &property_bodyBytes_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_bodyBytes_name);

	zval property_requests_default_value;
	ZVAL_UNDEF(&property_requests_default_value);
	zend_string *property_requests_name = zend_string_init("requests", sizeof("requests") - 1, 1);
	zend_declare_typed_property(class_entry, property_requests_name, &property_requests_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_requests_name);

	zval property_interim_default_value;
	ZVAL_UNDEF(&property_interim_default_value);
	zend_string *property_interim_name = zend_string_init("interim", sizeof("interim") - 1, 1);
	zend_declare_typed_property(class_entry, property_interim_name, &property_interim_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_interim_name);

	zval property_headMs_default_value;
	ZVAL_UNDEF(&property_headMs_default_value);
	zend_string *property_headMs_name = zend_string_init("headMs", sizeof("headMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_headMs_name, &property_headMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_headMs_name);

	zval property_bodyMs_default_value;
	ZVAL_UNDEF(&property_bodyMs_default_value);
	zend_string *property_bodyMs_name = zend_string_init("bodyMs", sizeof("bodyMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_bodyMs_name, &property_bodyMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_bodyMs_name);

	zval property_answerMs_default_value;
	ZVAL_UNDEF(&property_answerMs_default_value);
	zend_string *property_answerMs_name = zend_string_init("answerMs", sizeof("answerMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_answerMs_name, &property_answerMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_answerMs_name);

	zval property_idleMs_default_value;
	ZVAL_UNDEF(&property_idleMs_default_value);
	zend_string *property_idleMs_name = zend_string_init("idleMs", sizeof("idleMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_idleMs_name, &property_idleMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_idleMs_name);

	zval property_tunnelMs_default_value;
	ZVAL_UNDEF(&property_tunnelMs_default_value);
	zend_string *property_tunnelMs_name = zend_string_init("tunnelMs", sizeof("tunnelMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_tunnelMs_name, &property_tunnelMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_tunnelMs_name);

	zval property_keepAliveMs_default_value;
	ZVAL_UNDEF(&property_keepAliveMs_default_value);
	zend_string *property_keepAliveMs_name = zend_string_init("keepAliveMs", sizeof("keepAliveMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_keepAliveMs_name, &property_keepAliveMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_keepAliveMs_name);

	zval property_poolSize_default_value;
	ZVAL_UNDEF(&property_poolSize_default_value);
	zend_string *property_poolSize_name = zend_string_init("poolSize", sizeof("poolSize") - 1, 1);
	zend_declare_typed_property(class_entry, property_poolSize_name, &property_poolSize_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_poolSize_name);

	zval property_poolIdle_default_value;
	ZVAL_UNDEF(&property_poolIdle_default_value);
	zend_string *property_poolIdle_name = zend_string_init("poolIdle", sizeof("poolIdle") - 1, 1);
	zend_declare_typed_property(class_entry, property_poolIdle_name, &property_poolIdle_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_poolIdle_name);

	zval property_poolIdleMs_default_value;
	ZVAL_UNDEF(&property_poolIdleMs_default_value);
	zend_string *property_poolIdleMs_name = zend_string_init("poolIdleMs", sizeof("poolIdleMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_poolIdleMs_name, &property_poolIdleMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_poolIdleMs_name);

	zval property_poolWaiting_default_value;
	ZVAL_UNDEF(&property_poolWaiting_default_value);
	zend_string *property_poolWaiting_name = zend_string_init("poolWaiting", sizeof("poolWaiting") - 1, 1);
	zend_declare_typed_property(class_entry, property_poolWaiting_name, &property_poolWaiting_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_poolWaiting_name);

	zval property_poolWaitMs_default_value;
	ZVAL_UNDEF(&property_poolWaitMs_default_value);
	zend_string *property_poolWaitMs_name = zend_string_init("poolWaitMs", sizeof("poolWaitMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_poolWaitMs_name, &property_poolWaitMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_poolWaitMs_name);

	zval property_clientFinMs_default_value;
	ZVAL_UNDEF(&property_clientFinMs_default_value);
	zend_string *property_clientFinMs_name = zend_string_init("clientFinMs", sizeof("clientFinMs") - 1, 1);
	zend_declare_typed_property(class_entry, property_clientFinMs_name, &property_clientFinMs_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_clientFinMs_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Proxy_Forwarding(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Proxy", "Forwarding", class_Tusk_Proxy_Forwarding_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zend_string *property_xForwarded_class_Tusk_Proxy_Forward = zend_string_init("Tusk\\Proxy\\Forward", sizeof("Tusk\\Proxy\\Forward")-1, 1);
	zval property_xForwarded_default_value;
	ZVAL_UNDEF(&property_xForwarded_default_value);
	zend_string *property_xForwarded_name = zend_string_init("xForwarded", sizeof("xForwarded") - 1, 1);
	zend_declare_typed_property(class_entry, property_xForwarded_name, &property_xForwarded_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_CLASS(property_xForwarded_class_Tusk_Proxy_Forward, 0, 0));
	zend_string_release(property_xForwarded_name);

	zend_string *property_forwarded_class_Tusk_Proxy_Forward = zend_string_init("Tusk\\Proxy\\Forward", sizeof("Tusk\\Proxy\\Forward")-1, 1);
	zval property_forwarded_default_value;
	ZVAL_UNDEF(&property_forwarded_default_value);
	zend_string *property_forwarded_name = zend_string_init("forwarded", sizeof("forwarded") - 1, 1);
	zend_declare_typed_property(class_entry, property_forwarded_name, &property_forwarded_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_CLASS(property_forwarded_class_Tusk_Proxy_Forward, 0, 0));
	zend_string_release(property_forwarded_name);

	zend_string *property_via_class_Tusk_Proxy_Forward = zend_string_init("Tusk\\Proxy\\Forward", sizeof("Tusk\\Proxy\\Forward")-1, 1);
	zval property_via_default_value;
	ZVAL_UNDEF(&property_via_default_value);
	zend_string *property_via_name = zend_string_init("via", sizeof("via") - 1, 1);
	zend_declare_typed_property(class_entry, property_via_name, &property_via_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_CLASS(property_via_class_Tusk_Proxy_Forward, 0, 0));
	zend_string_release(property_via_name);

	zval property_viaName_default_value;
	ZVAL_UNDEF(&property_viaName_default_value);
	zend_string *property_viaName_name = zend_string_init("viaName", sizeof("viaName") - 1, 1);
	zend_declare_typed_property(class_entry, property_viaName_name, &property_viaName_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_viaName_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Proxy_Access(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Proxy", "Access", class_Tusk_Proxy_Access_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_kind_default_value;
	ZVAL_UNDEF(&property_kind_default_value);
	zend_string *property_kind_name = zend_string_init("kind", sizeof("kind") - 1, 1);
	zend_declare_typed_property(class_entry, property_kind_name, &property_kind_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_kind_name);

	zval property_time_default_value;
	ZVAL_UNDEF(&property_time_default_value);
	zend_string *property_time_name = zend_string_init("time", sizeof("time") - 1, 1);
	zend_declare_typed_property(class_entry, property_time_name, &property_time_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE));
	zend_string_release(property_time_name);

	zval property_listener_default_value;
	ZVAL_UNDEF(&property_listener_default_value);
	zend_string *property_listener_name = zend_string_init("listener", sizeof("listener") - 1, 1);
	zend_declare_typed_property(class_entry, property_listener_name, &property_listener_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_listener_name);

	zval property_peer_default_value;
	ZVAL_UNDEF(&property_peer_default_value);
	zend_string *property_peer_name = zend_string_init("peer", sizeof("peer") - 1, 1);
	zend_declare_typed_property(class_entry, property_peer_name, &property_peer_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_peer_name);

	zval property_target_default_value;
	ZVAL_UNDEF(&property_target_default_value);
	zend_string *property_target_name = zend_string_init("target", sizeof("target") - 1, 1);
	zend_declare_typed_property(class_entry, property_target_name, &property_target_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_target_name);

	zval property_engine_default_value;
	ZVAL_UNDEF(&property_engine_default_value);
	zend_string *property_engine_name = zend_string_init("engine", sizeof("engine") - 1, 1);
	zend_declare_typed_property(class_entry, property_engine_name, &property_engine_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_engine_name);

	zval property_status_default_value;
	ZVAL_UNDEF(&property_status_default_value);
	zend_string *property_status_name = zend_string_init("status", sizeof("status") - 1, 1);
	zend_declare_typed_property(class_entry, property_status_name, &property_status_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_status_name);

	zval property_end_default_value;
	ZVAL_UNDEF(&property_end_default_value);
	zend_string *property_end_name = zend_string_init("end", sizeof("end") - 1, 1);
	zend_declare_typed_property(class_entry, property_end_name, &property_end_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_end_name);

	zval property_reason_default_value;
	ZVAL_UNDEF(&property_reason_default_value);
	zend_string *property_reason_name = zend_string_init("reason", sizeof("reason") - 1, 1);
	zend_declare_typed_property(class_entry, property_reason_name, &property_reason_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_reason_name);

	zval property_cached_default_value;
	ZVAL_UNDEF(&property_cached_default_value);
	zend_string *property_cached_name = zend_string_init("cached", sizeof("cached") - 1, 1);
	zend_declare_typed_property(class_entry, property_cached_name, &property_cached_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_cached_name);

	zval property_resolve_default_value;
	ZVAL_UNDEF(&property_resolve_default_value);
	zend_string *property_resolve_name = zend_string_init("resolve", sizeof("resolve") - 1, 1);
	zend_declare_typed_property(class_entry, property_resolve_name, &property_resolve_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE));
	zend_string_release(property_resolve_name);

	zval property_connect_default_value;
	ZVAL_UNDEF(&property_connect_default_value);
	zend_string *property_connect_name = zend_string_init("connect", sizeof("connect") - 1, 1);
	zend_declare_typed_property(class_entry, property_connect_name, &property_connect_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE));
	zend_string_release(property_connect_name);

	zval property_firstByte_default_value;
	ZVAL_UNDEF(&property_firstByte_default_value);
	zend_string *property_firstByte_name = zend_string_init("firstByte", sizeof("firstByte") - 1, 1);
	zend_declare_typed_property(class_entry, property_firstByte_name, &property_firstByte_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE));
	zend_string_release(property_firstByte_name);

	zval property_duration_default_value;
	ZVAL_UNDEF(&property_duration_default_value);
	zend_string *property_duration_name = zend_string_init("duration", sizeof("duration") - 1, 1);
	zend_declare_typed_property(class_entry, property_duration_name, &property_duration_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE));
	zend_string_release(property_duration_name);

	zval property_bytesUp_default_value;
	ZVAL_UNDEF(&property_bytesUp_default_value);
	zend_string *property_bytesUp_name = zend_string_init("bytesUp", sizeof("bytesUp") - 1, 1);
	zend_declare_typed_property(class_entry, property_bytesUp_name, &property_bytesUp_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_bytesUp_name);

	zval property_bytesDown_default_value;
	ZVAL_UNDEF(&property_bytesDown_default_value);
	zend_string *property_bytesDown_name = zend_string_init("bytesDown", sizeof("bytesDown") - 1, 1);
	zend_declare_typed_property(class_entry, property_bytesDown_name, &property_bytesDown_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_bytesDown_name);

	zval property_metadata_default_value;
	ZVAL_UNDEF(&property_metadata_default_value);
	zend_string *property_metadata_name = zend_string_init("metadata", sizeof("metadata") - 1, 1);
	zend_declare_typed_property(class_entry, property_metadata_name, &property_metadata_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_metadata_name);

	zval property_route_default_value;
	ZVAL_UNDEF(&property_route_default_value);
	zend_string *property_route_name = zend_string_init("route", sizeof("route") - 1, 1);
	zend_declare_typed_property(class_entry, property_route_name, &property_route_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_route_name);

	zval property_method_default_value;
	ZVAL_UNDEF(&property_method_default_value);
	zend_string *property_method_name = zend_string_init("method", sizeof("method") - 1, 1);
	zend_declare_typed_property(class_entry, property_method_name, &property_method_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_method_name);

	zval property_host_default_value;
	ZVAL_UNDEF(&property_host_default_value);
	zend_string *property_host_name = zend_string_init("host", sizeof("host") - 1, 1);
	zend_declare_typed_property(class_entry, property_host_name, &property_host_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_host_name);

	zval property_path_default_value;
	ZVAL_UNDEF(&property_path_default_value);
	zend_string *property_path_name = zend_string_init("path", sizeof("path") - 1, 1);
	zend_declare_typed_property(class_entry, property_path_name, &property_path_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_path_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Proxy_Tcp(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Proxy", "Tcp", class_Tusk_Proxy_Tcp_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_port_default_value;
	ZVAL_UNDEF(&property_port_default_value);
	zend_string *property_port_name = zend_string_init("port", sizeof("port") - 1, 1);
	zend_declare_typed_property(class_entry, property_port_name, &property_port_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_port_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Proxy_Http(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Proxy", "Http", class_Tusk_Proxy_Http_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_port_default_value;
	ZVAL_UNDEF(&property_port_default_value);
	zend_string *property_port_name = zend_string_init("port", sizeof("port") - 1, 1);
	zend_declare_typed_property(class_entry, property_port_name, &property_port_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_port_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Proxy_Smtp(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Proxy", "Smtp", class_Tusk_Proxy_Smtp_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_port_default_value;
	ZVAL_UNDEF(&property_port_default_value);
	zend_string *property_port_name = zend_string_init("port", sizeof("port") - 1, 1);
	zend_declare_typed_property(class_entry, property_port_name, &property_port_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_port_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Testing_Loopback(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Testing", "Loopback", class_Tusk_Testing_Loopback_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Testing_LoopbackClient(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Testing", "LoopbackClient", class_Tusk_Testing_LoopbackClient_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_status_default_value;
	ZVAL_UNDEF(&property_status_default_value);
	zend_string *property_status_name = zend_string_init("status", sizeof("status") - 1, 1);
	zend_declare_typed_property(class_entry, property_status_name, &property_status_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_status_name);

	zval property_subprotocol_default_value;
	ZVAL_UNDEF(&property_subprotocol_default_value);
	zend_string *property_subprotocol_name = zend_string_init("subprotocol", sizeof("subprotocol") - 1, 1);
	zend_declare_typed_property(class_entry, property_subprotocol_name, &property_subprotocol_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING|MAY_BE_NULL));
	zend_string_release(property_subprotocol_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Testing_LoopbackStream(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Testing", "LoopbackStream", class_Tusk_Testing_LoopbackStream_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_status_default_value;
	ZVAL_UNDEF(&property_status_default_value);
	zend_string *property_status_name = zend_string_init("status", sizeof("status") - 1, 1);
	zend_declare_typed_property(class_entry, property_status_name, &property_status_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_status_name);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Parallel_OnFull(void)
{
	zend_class_entry *class_entry = zend_register_internal_enum("Tusk\\Parallel\\OnFull", IS_UNDEF, class_Tusk_Parallel_OnFull_methods);

	zend_enum_add_case_cstr(class_entry, "Wait", NULL);

	zend_enum_add_case_cstr(class_entry, "Refuse", NULL);

	zend_enum_add_case_cstr(class_entry, "Run", NULL);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Parallel_Template(void)
{
	zend_class_entry *class_entry = zend_register_internal_enum("Tusk\\Parallel\\Template", IS_UNDEF, class_Tusk_Parallel_Template_methods);

	zend_enum_add_case_cstr(class_entry, "Fork", NULL);

	zend_enum_add_case_cstr(class_entry, "Fresh", NULL);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Parallel_State(void)
{
	zend_class_entry *class_entry = zend_register_internal_enum("Tusk\\Parallel\\State", IS_UNDEF, class_Tusk_Parallel_State_methods);

	zend_enum_add_case_cstr(class_entry, "Queued", NULL);

	zend_enum_add_case_cstr(class_entry, "Running", NULL);

	zend_enum_add_case_cstr(class_entry, "Done", NULL);

	zend_enum_add_case_cstr(class_entry, "Failed", NULL);

	zend_enum_add_case_cstr(class_entry, "Cancelled", NULL);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Parallel_CannotTravel(zend_class_entry *class_entry_Tusk_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Parallel", "CannotTravel", class_Tusk_Parallel_CannotTravel_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Tusk_Exception);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Parallel_DeadlineExceeded(zend_class_entry *class_entry_Tusk_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Parallel", "DeadlineExceeded", class_Tusk_Parallel_DeadlineExceeded_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Tusk_Exception);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Parallel_Cancelled(zend_class_entry *class_entry_Tusk_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Parallel", "Cancelled", class_Tusk_Parallel_Cancelled_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Tusk_Exception);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Parallel_WorkerCrashed(zend_class_entry *class_entry_Tusk_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Parallel", "WorkerCrashed", class_Tusk_Parallel_WorkerCrashed_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Tusk_Exception);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Parallel_TaskExited(zend_class_entry *class_entry_Tusk_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Parallel", "TaskExited", class_Tusk_Parallel_TaskExited_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Tusk_Exception);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Parallel_TaskFailed(zend_class_entry *class_entry_Tusk_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Parallel", "TaskFailed", class_Tusk_Parallel_TaskFailed_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Tusk_Exception);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Parallel_QueueFull(zend_class_entry *class_entry_Tusk_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Parallel", "QueueFull", class_Tusk_Parallel_QueueFull_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Tusk_Exception);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Parallel_BootstrapFailed(zend_class_entry *class_entry_Tusk_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Parallel", "BootstrapFailed", class_Tusk_Parallel_BootstrapFailed_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Tusk_Exception);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Parallel_Engine(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Parallel", "Engine", class_Tusk_Parallel_Engine_methods);
	class_entry = zend_register_internal_interface(&ce);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Parallel_Pool(zend_class_entry *class_entry_Tusk_Parallel_Engine)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Parallel", "Pool", class_Tusk_Parallel_Pool_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;
	zend_class_implements(class_entry, 1, class_entry_Tusk_Parallel_Engine);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Parallel_Sync(zend_class_entry *class_entry_Tusk_Parallel_Engine)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Parallel", "Sync", class_Tusk_Parallel_Sync_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;
	zend_class_implements(class_entry, 1, class_entry_Tusk_Parallel_Engine);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Parallel_Async(zend_class_entry *class_entry_Tusk_Parallel_Engine)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Parallel", "Async", class_Tusk_Parallel_Async_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;
	zend_class_implements(class_entry, 1, class_entry_Tusk_Parallel_Engine);

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Parallel_Task(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Parallel", "Task", class_Tusk_Parallel_Task_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Bench_Load(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Bench", "Load", class_Tusk_Bench_Load_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Bench_Histogram(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Bench", "Histogram", class_Tusk_Bench_Histogram_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_Tusk_Bench_EchoServer(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Tusk\\Bench", "EchoServer", class_Tusk_Bench_EchoServer_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}
