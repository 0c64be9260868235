<?php
/* Predis on a primary behind Sentinels, of which it asks one when it connects. */
return fn (int|array $ports, string $packages): Peer =>
    new PredisByHand($packages, addresses($ports),
        ['replication' => 'sentinel', 'service' => PRIMARY]);
