import type { Patch } from '../../schemas/wire/cluster.ts';
import type { RequestOptions } from '../api/request.ts';
import { configMaps, stage, type widgets } from './world.ts';

export type Address = typeof widgets;

export const secrets = { ...configMaps, plural: 'secrets', kind: 'Secret' };

export const deployments = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  namespaced: true,
};

/** The server of a world, with the warnings and errors of requests. */
export function front() {
  const { world } = stage({ nodes: 0 });
  const { server } = world;
  const warnings: string[] = [];
  const options = (more: RequestOptions = {}): RequestOptions => ({
    ...more,
    warn: (text) => warnings.push(text),
  });
  return {
    warnings,
    create: (resource: Address, body: unknown, more?: RequestOptions) =>
      server.create('alice', resource, body, options(more)),
    replace: (resource: Address, body: unknown, more?: RequestOptions) =>
      server.replace('alice', resource, body, options(more)),
    patch: (resource: Address, name: string, patch: Patch, more?: RequestOptions) =>
      server.patch('alice', resource, { namespace: 'default', name }, patch, options(more)),
  };
}
