import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import { NotLeading } from '../lead/fence.ts';

/** Distinguishes errors of the cluster port from errors of this program itself. */
export interface ErrorOrigin {
  /** The same cluster; its rejections are remembered weakly. */
  cluster: Cluster;
  /** The error was thrown by this program: a bug in a rule. */
  isOwn(error: unknown): boolean;
}

export function withErrorOrigin(cluster: Cluster): ErrorOrigin {
  const answered = new WeakSet<object>();

  async function noted<Answer>(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer;
    } catch (error) {
      if (typeof error === 'object' && error !== null) answered.add(error);
      throw error;
    }
  }

  return {
    cluster: {
      list: (resource, options) => noted(cluster.list(resource, options)),
      watch: (resource, options, sink) => cluster.watch(resource, options, sink),
      get: (resource, at) => noted(cluster.get(resource, at)),
      create: (resource, body, options) => noted(cluster.create(resource, body, options)),
      replace: (resource, body, options) => noted(cluster.replace(resource, body, options)),
      patch: (resource, at, patch, options) => noted(cluster.patch(resource, at, patch, options)),
      delete: (resource, at, options) => noted(cluster.delete(resource, at, options)),
    },
    isOwn(error) {
      if (error instanceof ApiError || error instanceof NotLeading) return false;
      return typeof error !== 'object' || error === null || !answered.has(error);
    },
  };
}
