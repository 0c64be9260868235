<?php

declare(strict_types=1);

namespace RedisLock\PHPStan;

use PhpParser\Node;
use PhpParser\Node\Arg;
use PhpParser\Node\Expr\MethodCall;
use PHPStan\Analyser\Scope;
use PHPStan\Rules\Rule;
use PHPStan\Rules\RuleErrorBuilder;
use PHPStan\Type\ObjectType;
use PHPStan\Type\TypeCombinator;
use RedisLock;
use RedisLockLease;

/**
 * Reports a $ttl or $wait of a round number of thousands, such as 30000: other libraries count
 * milliseconds, RedisLock counts seconds. Whole half hours, such as 36000, are left alone.
 *
 * @implements Rule<MethodCall>
 */
final class MillisecondsRule implements Rule
{
    /** The index of the arguments that are times. */
    private const TIMES = [
        'acquire' => ['ttl' => 1, 'wait' => 2],
        'lease' => ['ttl' => 1, 'wait' => 2],
        'synchronized' => ['ttl' => 2, 'wait' => 3],
        'once' => ['ttl' => 3, 'wait' => 4],
        'resume' => ['ttl' => 2],
    ];

    public function getNodeType(): string
    {
        return MethodCall::class;
    }

    public function processNode(Node $node, Scope $scope): array
    {
        if (!$node->name instanceof Node\Identifier) {
            return [];
        }
        $method = $node->name->toString();
        $class = TypeCombinator::removeNull($scope->getType($node->var));
        $times = match (true) {
            (new ObjectType(RedisLock::class))->isSuperTypeOf($class)->yes() =>
                $method === 'extend' ? ['ttl' => 2] : self::TIMES[$method] ?? [],
            (new ObjectType(RedisLockLease::class))->isSuperTypeOf($class)->yes() =>
                $method === 'extend' ? ['ttl' => 0] : [],
            default => [],
        };
        $errors = [];
        foreach ($node->getArgs() as $index => $argument) {
            $name = self::timeOf($argument, $index, $times);
            $value = $scope->getType($argument->value)->getConstantScalarValues()[0] ?? null;
            if ($name !== null && self::looksLikeMilliseconds($value)) {
                $errors[] = RuleErrorBuilder::message("\$$name of $method() is in seconds, and"
                    . " $value s are more than a quarter of an hour: milliseconds?")
                    ->line($argument->getStartLine())
                    ->identifier('redislock.milliseconds')
                    ->build();
            }
        }
        return $errors;
    }

    /**
     * @param array<string, int> $times
     * @return string|null the name of the argument if it is a time
     */
    private static function timeOf(Arg $argument, int $index, array $times): ?string
    {
        if ($argument->name !== null) {
            $name = $argument->name->toString();
            return isset($times[$name]) ? $name : null;
        }
        $name = array_search($index, $times, true);
        return $name === false ? null : $name;
    }

    /** @phpstan-assert-if-true int|float $value */
    private static function looksLikeMilliseconds(mixed $value): bool
    {
        return (is_int($value) || is_float($value)) && is_finite($value) && $value >= 1000
            && fmod($value, 1000) === 0.0 && fmod($value, 1800) !== 0.0;
    }
}
