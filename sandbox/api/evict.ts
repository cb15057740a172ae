import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ApiContext } from './context.ts';
import { refuse } from './errors.ts';
import type { Served } from './registry.ts';
import type { RequestOptions } from './request.ts';

/** POST of an Eviction. */
export function evictPod(
  _context: ApiContext,
  _user: string,
  _served: Served,
  _body: unknown,
  _options: RequestOptions,
): KubeObject {
  throw refuse.noResource();
}
