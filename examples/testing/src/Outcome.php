<?php

declare(strict_types=1);

namespace Shop;

enum Outcome
{
    case Done;

    case SoldOut;

    /** Another process is at the same work. */
    case Busy;

    /** The lock cannot be had, because Redis fails. Nothing was done. */
    case Unavailable;

    /** The work was done, but its lock had ended before: a person has to look at it. */
    case Doubtful;
}
