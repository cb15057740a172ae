import type { KubeObject } from '../../schemas/wire/object.ts';
import { sameValue } from '../../schemas/pods/fields.ts';
import { jsonPatch } from '../patch/json.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import { inVersion, type AdmittedWrite } from '../policies/write.ts';
import type { Served } from '../api/registry.ts';
import { internalError, prepareCall, type WebhookSources } from './call.ts';
import { isExempt } from './exempt.ts';
import { calledWith } from './selection.ts';
import { hooksOf, type Hook } from './webhook.ts';

/** Reads an object that a webhook has patched, in the version that it saw, with defaults. */
export type ReadPatched = (served: Served, value: unknown, before: KubeObject) => KubeObject;

/**
 * Sends a write through the mutating webhooks, one after the other. When one changes the object, those before it with
 * the reinvocation policy IfNeeded are called once more.
 *
 * @returns the object as they leave it, in the version of the request; undefined: it is as it was
 * @throws ApiError where one refuses or cannot be called, and Waiting until the next one has answered
 */
export function mutateByWebhooks(
  describe: () => AdmittedWrite,
  readPatched: ReadPatched,
  sources: WebhookSources,
): KubeObject | undefined {
  if (sources.client === undefined) return undefined;
  const hooks = hooksOf('mutating', sources.related);
  if (hooks.length === 0) return undefined;
  const first = describe();
  if (isExempt(first)) return undefined;
  let write = first;
  /** Webhooks that were called and may be called again; those that have to be. */
  const called = new Set<string>();
  const again = new Set<string>();
  for (const round of [0, 1]) {
    for (const hook of hooks) {
      const seen = calledWith(hook, write, sources);
      if (seen === undefined || (round === 1 && !again.has(hook.id))) continue;
      const next = patched(hook, write, { seen, round, readPatched, sources });
      if (next !== undefined) {
        write = { ...write, object: next };
        for (const id of called) again.add(id);
      }
      if (hook.webhook.reinvocationPolicy === 'IfNeeded') called.add(hook.id);
    }
    if (again.size === 0) break;
  }
  return write === first ? undefined : write.object;
}

/** The object that a webhook has changed, in the version of the request; undefined: it has not. */
function patched(
  hook: Hook,
  write: AdmittedWrite,
  {
    seen,
    round,
    readPatched,
    sources,
  }: { seen: AdmittedWrite; round: number; readPatched: ReadPatched; sources: WebhookSources },
): KubeObject | undefined {
  const { call, read } = prepareCall(hook, write, seen, { ...sources, mutating: true, round });
  const [answered] = sources.answers.to([call]);
  const patch = (answered === undefined ? undefined : read(answered))?.patch ?? [];
  if (patch.length === 0) return undefined;
  if (seen.object === undefined)
    throw internalError(
      `admission webhook ${JSON.stringify(hook.name)} attempted to modify the object, which is not supported for this operation`,
    );
  const next = readPatched(seen.served, applied(seen.object, patch), seen.object);
  if (sameValue(next, seen.object)) return undefined;
  return inVersion({ ...write, served: seen.served, object: next, before: undefined }, write.served).object;
}

function applied(object: KubeObject, patch: Parameters<typeof jsonPatch>[1]): unknown {
  try {
    return jsonPatch(object, patch);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw internalError(error.message);
  }
}
