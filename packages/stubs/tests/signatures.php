<?php

/*
 * Prints the signatures of the extension, one a line, as reflection shows them: the classes, their
 * constants, and their public and protected methods.
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
        ? '= ' . var_export($parameter->getDefaultValue(), true) : '';
    $name = ($parameter->isPassedByReference() ? '&' : '')
        . ($parameter->isVariadic() ? '...' : '') . '$' . $parameter->getName();
    return implode(' ', array_filter(
        [...$attributes, type($parameter->getType()), $name, str_replace("\n", ' ', $default)]));
}

function method(ReflectionMethod $method): string
{
    return implode(' ', Reflection::getModifierNames($method->getModifiers()))
        . ' function ' . $method->getName()
        . '(' . implode(', ', array_map(parameter(...), $method->getParameters())) . ')'
        . ($method->hasReturnType() ? ': ' . type($method->getReturnType()) : '');
}

/** @return list<string> */
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
            $lines[] = "{$class->getName()}: public " . type($property->getType())
                . " \${$property->getName()}";
        }
    }
    foreach ($class->getMethods() as $method) {
        if ($method->class === $class->getName()) {
            $lines[] = "{$class->getName()}: " . method($method);
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
