<?php

/* A function of PHPStan that Psalm does not know. */

declare(strict_types=1);

namespace PHPStan\Testing;

function assertType(string $type, mixed $value): void
{
}
