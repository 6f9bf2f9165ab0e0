<?php

declare(strict_types=1);

// A proxy's answer in small, its counters times a factor.
return static fn (int $times): string => <<<TEXT
    # TYPE tusk_proxy_accepted counter
    tusk_proxy_accepted_total {$times}00
    # TYPE tusk_proxy_active gauge
    tusk_proxy_active 45
    # TYPE tusk_proxy_refused_limit counter
    tusk_proxy_refused_limit_total {$times}
    tusk_proxy_refused_source_total 0
    tusk_proxy_draining 0
    tusk_proxy_bytes_up_total {$times}0240
    # TYPE tusk_proxy_limit_used gauge
    tusk_proxy_limit_used{limit="connections"} 45
    tusk_proxy_limit_used{limit="routes"} 1
    tusk_proxy_limit_bound{limit="connections"} 50
    tusk_proxy_limit_bound{limit="routes"} 1000
    tusk_proxy_limit_bound{limit="perTarget"} 0
    tusk_proxy_target_up{target="10.0.0.7:5432"} 1
    tusk_proxy_target_up{target="10.0.0.8:5432"} 0
    tusk_proxy_target_up{target="evil\\"\\n\u{1b}[31m"} 1
    tusk_proxy_target_active{target="10.0.0.7:5432"} 3
    tusk_proxy_target_sessions_total{target="10.0.0.7:5432"} {$times}0
    tusk_proxy_target_responses_total{target="10.0.0.7:5432",code="5xx"} {$times}
    tusk_proxy_target_first_byte_seconds_bucket{target="10.0.0.7:5432",le="0.0005"} 90
    tusk_proxy_target_first_byte_seconds_bucket{target="10.0.0.7:5432",le="1.0"} {$times}00
    tusk_proxy_target_first_byte_seconds_bucket{target="10.0.0.7:5432",le="+Inf"} {$times}01
    tusk_proxy_route_active{route="shop"} 2
    go_goroutines 7
    # EOF

    TEXT;
