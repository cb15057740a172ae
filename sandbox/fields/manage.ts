import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Served } from '../api/registry.ts';

/** Who writes, as `metadata.managedFields` has it. */
export interface Writer {
  manager: string;
  subresource?: string;
  /** Milliseconds since 1970 UTC. */
  at: number;
}

/** A write that is no apply: `next` with the fields that it changed owned by the writer. */
export function withUpdate(
  _served: Served,
  _writer: Writer,
  next: KubeObject,
  _current: KubeObject | undefined,
): KubeObject {
  return next;
}
