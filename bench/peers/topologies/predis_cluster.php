<?php
/* Predis on a cluster. */
return fn (int|array $ports, string $packages): Peer =>
    new PredisByHand($packages, addresses($ports), ['cluster' => 'redis']);
