import type { Cluster } from '../../schemas/wire/cluster.ts';

/** A write that was not sent because this process may not write, or not any more. */
export class NotLeading extends Error {
  constructor() {
    super('this process does not lead: the write was not sent');
    this.name = 'NotLeading';
  }
}

/**
 * The same cluster, with writes allowed only while `mayWrite` returns true. It is called right before each write is sent,
 * and must not rely on a timer having fired. Other writes reject with `NotLeading`.
 */
export function fenced(cluster: Cluster, mayWrite: () => boolean): Cluster {
  async function write<Answer>(send: () => Promise<Answer>): Promise<Answer> {
    if (!mayWrite()) throw new NotLeading();
    return send();
  }
  return {
    list: (resource, options) => cluster.list(resource, options),
    watch: (resource, options, sink) => cluster.watch(resource, options, sink),
    get: (resource, at) => cluster.get(resource, at),
    create: (resource, body, options) => write(() => cluster.create(resource, body, options)),
    replace: (resource, body, options) => write(() => cluster.replace(resource, body, options)),
    patch: (resource, at, patch, options) => write(() => cluster.patch(resource, at, patch, options)),
    delete: (resource, at, options) => write(() => cluster.delete(resource, at, options)),
  };
}
