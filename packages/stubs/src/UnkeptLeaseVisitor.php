<?php

declare(strict_types=1);

namespace RedisLock\PHPStan;

use PhpParser\Node;
use PhpParser\Node\Expr;
use PhpParser\Node\Stmt;
use PhpParser\NodeVisitorAbstract;

/**
 * Marks calls of methods named lease() and resume() whose result the surrounding code drops. A rule
 * sees a call without what stands around it, so the parser marks the calls, and UnkeptLeaseRule
 * looks at their types.
 */
final class UnkeptLeaseVisitor extends NodeVisitorAbstract
{
    /** Of a marked call: what drops the result. */
    public const ATTRIBUTE = 'redislock.droppedBy';

    private const METHODS = ['lease', 'resume'];

    /** Methods of a lease after which the lock is not needed any more. */
    private const LAST_METHODS = ['release', 'detach'];

    /** Functions that look at a value and do not keep it. */
    private const FUNCTIONS = ['is_null', 'is_object', 'is_a', 'boolval', 'var_dump', 'get_class',
        'get_debug_type', 'gettype', 'spl_object_id'];

    public function enterNode(Node $node): ?Node
    {
        foreach ($this->droppedBy($node) as [$expr, $by]) {
            $this->mark($expr, $by);
        }
        return null;
    }

    /** @return list<array{Expr, string}> the values that the node drops, and what it is called */
    private function droppedBy(Node $node): array
    {
        return match (true) {
            $node instanceof Stmt\Expression => [[$node->expr, 'the statement']],
            $node instanceof Stmt\If_, $node instanceof Stmt\ElseIf_ => [[$node->cond, 'if']],
            $node instanceof Stmt\While_, $node instanceof Stmt\Do_ => [[$node->cond, 'while']],
            $node instanceof Stmt\Switch_ => [[$node->cond, 'switch']],
            $node instanceof Stmt\For_ => array_map(static fn (Expr $expr): array => [$expr, 'for'],
                array_values([...$node->init, ...$node->cond, ...$node->loop])),
            $node instanceof Stmt\Echo_ => array_map(
                static fn (Expr $expr): array => [$expr, 'echo'], array_values($node->exprs)),
            $node instanceof Expr\Match_ => [[$node->cond, 'match']],
            $node instanceof Expr\Ternary => $node->if === null ? [] : [[$node->cond, '?:']],
            $node instanceof Expr\BooleanNot => [[$node->expr, '!']],
            $node instanceof Expr\Cast\Bool_ => [[$node->expr, '(bool)']],
            $node instanceof Expr\Empty_ => [[$node->expr, 'empty()']],
            $node instanceof Expr\Instanceof_ => [[$node->expr, 'instanceof']],
            $node instanceof Expr\BinaryOp && !$node instanceof Expr\BinaryOp\Coalesce =>
                [[$node->left, $node->getOperatorSigil()],
                    [$node->right, $node->getOperatorSigil()]],
            $node instanceof Expr\MethodCall, $node instanceof Expr\NullsafeMethodCall =>
                $node->name instanceof Node\Identifier
                    && in_array($node->name->toLowerString(), self::LAST_METHODS, true) ? []
                    : [[$node->var, $node->name instanceof Node\Identifier
                        ? "{$node->name->toString()}()" : 'the call']],
            $node instanceof Expr\FuncCall => $node->name instanceof Node\Name
                && in_array($node->name->toLowerString(), self::FUNCTIONS, true)
                ? array_map(static fn (Node\Arg $arg): array => [$arg->value, "{$node->name}()"],
                    array_values(array_filter($node->args,
                        static fn (Node $arg): bool => $arg instanceof Node\Arg)))
                : [],
            default => [],
        };
    }

    /** Marks the calls whose result is the value of the expression. */
    private function mark(Expr $expr, string $by): void
    {
        if ($expr instanceof Expr\MethodCall || $expr instanceof Expr\NullsafeMethodCall) {
            if ($expr->name instanceof Node\Identifier
                && in_array($expr->name->toLowerString(), self::METHODS, true)) {
                $expr->setAttribute(self::ATTRIBUTE, $by);
            }
            return;
        }
        $values = match (true) {
            $expr instanceof Expr\ErrorSuppress => [$expr->expr],
            $expr instanceof Expr\BinaryOp\Coalesce => [$expr->left, $expr->right],
            $expr instanceof Expr\Ternary => [$expr->if ?? $expr->cond, $expr->else],
            $expr instanceof Expr\Match_ =>
                array_map(static fn (Node\MatchArm $arm): Expr => $arm->body, $expr->arms),
            default => [],
        };
        foreach ($values as $value) {
            $this->mark($value, $by);
        }
    }
}
