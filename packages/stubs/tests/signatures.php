<?php

/*
 * Prints the signatures of the extension as reflection shows them, sorted, with a line for each
 * class, constant, property, method and parameter.
 *
 * usage: php -d extension=redislock.so signatures.php             those of the extension
 *        php -n signatures.php redislock.stub.php                 those of the stub
 */

declare(strict_types=1);

function type(?ReflectionType $type): string
{
    return $type === null ? '' : (string) $type;
}

function parameter(ReflectionParameter $parameter): string
{
    $attributes = array_map(fn (ReflectionAttribute $attribute): string
        => "#[{$attribute->getName()}]", $parameter->getAttributes());
    $default = $parameter->isDefaultValueAvailable()
        ? '= ' . json_encode($parameter->getDefaultValue(), JSON_PRESERVE_ZERO_FRACTION) : '';
    $name = ($parameter->isPassedByReference() ? '&' : '')
        . ($parameter->isVariadic() ? '...' : '') . '$' . $parameter->getName();
    return implode(' ', array_filter(
        [...$attributes, type($parameter->getType()), $name, $default],
        fn (string $part): bool => $part !== ''));
}

/** @return list<string> a line for the method, and one for each parameter */
function method(ReflectionMethod $method): array
{
    $name = "{$method->class}::{$method->getName()}";
    $lines = [implode(' ', [$name . '():', ...Reflection::getModifierNames(
        $method->getModifiers()), type($method->getReturnType())])];
    foreach ($method->getParameters() as $parameter) {
        $lines[] = sprintf('%s(%02d: %s)', $name, $parameter->getPosition() + 1,
            parameter($parameter));
    }
    return $lines;
}

/**
 * @param ReflectionClass<object> $class
 * @return list<string>
 */
function signatures(ReflectionClass $class): array
{
    $kind = $class->isEnum() ? 'enum' : implode(' ',
        [...Reflection::getModifierNames($class->getModifiers()), 'class']);
    $lines = [trim("$kind {$class->getName()}"
        . ($class->getParentClass() ? ' extends ' . $class->getParentClass()->getName() : ''))];
    foreach ($class->getReflectionConstants() as $constant) {
        $lines[] = "{$class->getName()}::{$constant->getName()}";
    }
    foreach ($class->getProperties(ReflectionProperty::IS_PUBLIC) as $property) {
        if ($property->class === $class->getName()) {
            $lines[] = implode(' ', ["{$class->getName()}::\${$property->getName()}:",
                ...Reflection::getModifierNames($property->getModifiers()),
                type($property->getType())]);
        }
    }
    foreach ($class->getMethods() as $method) {
        if ($method->class === $class->getName()) {
            array_push($lines, ...method($method));
        }
    }
    return $lines;
}

if (isset($argv[1])) {
    $before = get_declared_classes();
    /* The methods of the stub have no bodies: a return type without a return is no error here. */
    require $argv[1];
    $names = array_diff(get_declared_classes(), $before);
} else {
    $names = (new ReflectionExtension('redislock'))->getClassNames();
}
$lines = array_merge(...array_map(
    fn (string $name): array => signatures(new ReflectionClass($name)), array_values($names)));
sort($lines);
echo implode("\n", $lines), "\n";
