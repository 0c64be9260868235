<?php

declare(strict_types=1);

namespace Symfony\Component\Clock;

interface ClockInterface extends \Psr\Clock\ClockInterface
{
}
