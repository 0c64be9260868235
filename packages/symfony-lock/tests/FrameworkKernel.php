<?php

declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use Symfony\Bundle\FrameworkBundle\FrameworkBundle;
use Symfony\Component\Config\Loader\LoaderInterface;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\HttpKernel\Kernel;

/** A Symfony application with the services of a folder, and with framework.lock. */
final class FrameworkKernel extends Kernel
{
    /** @param mixed $lock the value of framework.lock */
    public function __construct(private readonly string $folder, private readonly mixed $lock)
    {
        parent::__construct('test', false);
    }

    public function registerBundles(): iterable
    {
        return [new FrameworkBundle()];
    }

    public function registerContainerConfiguration(LoaderInterface $loader): void
    {
        $loader->load("$this->folder/services.yaml");
        $loader->load(function (ContainerBuilder $container): void {
            $container->loadFromExtension('framework', [
                'secret' => 'test',
                'http_method_override' => false,
                'handle_all_throwables' => true,
                'php_errors' => ['log' => false],
                'lock' => $this->lock,
            ]);
            $container->register(Consumer::class)->setAutowired(true)->setPublic(true);
        });
    }

    public function getProjectDir(): string
    {
        return $this->folder;
    }

    public function getCacheDir(): string
    {
        return "$this->folder/cache";
    }

    public function getLogDir(): string
    {
        return "$this->folder/log";
    }
}
