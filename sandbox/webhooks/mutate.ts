import type { KubeObject } from '../../schemas/wire/object.ts';
import { sameValue } from '../../schemas/pods/fields.ts';
import { Inapplicable, jsonPatch } from '../patch/json.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { ReadPatched } from '../policies/mutate.ts';
import type { Round } from '../policies/rounds.ts';
import { inVersion, type AdmittedWrite } from '../policies/write.ts';
import { internalError } from '../api/errors.ts';
import { prepareCall, type WebhookSources } from './call.ts';
import { isExempt } from '../policies/exempt.ts';
import { calledWith } from './selection.ts';
import { hooksOf, type Hook } from './webhook.ts';

/**
 * Sends a write through the mutating webhooks, one after the other.
 *
 * @throws ApiError where one refuses or cannot be called, and Waiting until the next one has answered
 */
export function mutateByWebhooks(
  write: AdmittedWrite,
  round: Round,
  readPatched: ReadPatched,
  sources: WebhookSources,
): AdmittedWrite {
  if (isExempt(write)) return write;
  let present = write;
  for (const hook of hooksOf('mutating', sources.related)) {
    const seen = calledWith(hook, present, sources);
    if (seen === undefined || !round.isDue(hook.id)) continue;
    const object = patched(hook, present, { seen, round, readPatched, sources });
    if (object !== undefined) {
      present = { ...present, object };
      round.changed();
    }
    if (hook.webhook.reinvocationPolicy === 'IfNeeded') round.called(hook.id);
  }
  return present;
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
  }: { seen: AdmittedWrite; round: Round; readPatched: ReadPatched; sources: WebhookSources },
): KubeObject | undefined {
  const { call, read } = prepareCall(hook, write, seen, {
    ...sources,
    mutating: true,
    round: round.number,
  });
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
    throw internalError(error instanceof Inapplicable ? error.why : error.message);
  }
}
