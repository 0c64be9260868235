<?php

declare(strict_types=1);

namespace RedisLock\PHPStan;

use PhpParser\Node;
use PhpParser\Node\Expr\MethodCall;
use PHPStan\Analyser\Scope;
use PHPStan\Rules\Rule;
use PHPStan\Rules\RuleErrorBuilder;
use PHPStan\Type\ObjectType;
use PHPStan\Type\TypeCombinator;
use RedisLock;

/**
 * Reports a RedisLock::lease() or resume() whose lease no code keeps: the statement that takes the
 * lock releases it, and protects nothing.
 *
 * @implements Rule<MethodCall>
 */
final class UnkeptLeaseRule implements Rule
{
    public function getNodeType(): string
    {
        /* PHPStan makes one of $lock?->lease() as well. */
        return MethodCall::class;
    }

    public function processNode(Node $node, Scope $scope): array
    {
        $by = $node->getAttribute(UnkeptLeaseVisitor::ATTRIBUTE);
        if (!is_string($by) || !$node->name instanceof Node\Identifier) {
            return [];
        }
        $lock = TypeCombinator::removeNull($scope->getType($node->var));
        if (!(new ObjectType(RedisLock::class))->isSuperTypeOf($lock)->yes()) {
            return [];
        }
        /* PHP keeps a subject until it has left switch or match, or drops it before. */
        $what = in_array($by, ['switch', 'match'], true)
            ? "is kept by no variable: PHP releases the lock with the subject of $by."
            : "is dropped by $by, which releases the lock: it protects nothing.";
        $method = $node->name->toString();
        return [RuleErrorBuilder::message("The lease of RedisLock::$method() $what")
            ->tip('Keep the RedisLockLease in a variable until the work is done.')
            ->identifier('redislock.unkeptLease')
            ->build()];
    }
}
