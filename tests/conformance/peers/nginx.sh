#!/bin/sh
# nginx as the HTTP server of examples/http.php: nginx.sh PORT DIR
set -eu
home=$(mktemp -d); trap 'rm -rf "$home"' EXIT
cat > "$home/nginx.conf" <<CONF
daemon off; master_process off; pid $home/pid; error_log $home/error.log;
events { worker_connections 1024; }
http {
    access_log off; client_body_temp_path $home/b; proxy_temp_path $home/p; fastcgi_temp_path $home/f;
    uwsgi_temp_path $home/u; scgi_temp_path $home/s; client_header_timeout 10s;
    types { text/html html; text/css css; text/plain txt; }
    server {
        listen 127.0.0.1:$1;
        location = / { if (\$request_method !~ ^(GET|HEAD)\$) { return 405; } default_type text/plain; return 200 "Hello, World!"; }
        location /static/ { alias $2/; disable_symlinks on; }
        location ~ /\\. { return 404; }
    }
}
CONF
nginx -c "$home/nginx.conf" &
pid=$!
trap 'kill $pid; wait $pid || true; rm -rf "$home"' EXIT TERM INT
wait $pid
