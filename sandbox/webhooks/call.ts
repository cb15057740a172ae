import { ApiError } from '../../schemas/wire/cluster.ts';
import { internalError, refuse } from '../api/errors.ts';
import type { AdmissionSources } from '../policies/invocations.ts';
import type { AdmittedWrite } from '../policies/write.ts';
import type { Answer, Answered, Answers, Call, WebhookClient } from './answers.ts';
import { reviewOf, verdictOf, type Verdict } from './review.ts';
import { targetOf } from './target.ts';
import { hooksOf, type configurationIds, type Hook } from './webhook.ts';

/** What webhooks are called with. */
export interface WebhookSources extends AdmissionSources {
  /** Undefined: there is nobody to call them, and no webhook has an effect. */
  client: WebhookClient | undefined;
  /** The answers to the write so far. */
  answers: Answers;
}

/** Whether webhooks of this kind are called at all. */
export const isHooked = (kind: keyof typeof configurationIds, { client, related }: WebhookSources): boolean =>
  client !== undefined && hooksOf(kind, related).length > 0;

const sideEffectFree: ReadonlySet<string | undefined> = new Set(['None', 'NoneOnDryRun']);

/** A call that is ready to be made, and how its answer is read. */
export interface Prepared {
  hook: Hook;
  call: Call;
  /**
   * The verdict; undefined where the call failed and the webhook may be ignored. 500 where it failed otherwise, and the
   * status of the webhook where it denies the write.
   */
  read: (answered: Answered) => Verdict | undefined;
}

/** 400 for a dry run that the webhook would not leave without a trace. */
export function prepareCall(
  hook: Hook,
  write: AdmittedWrite,
  seen: AdmittedWrite,
  { related, client, mutating, round }: WebhookSources & { mutating: boolean; round: number },
): Prepared {
  const { webhook, name, id } = hook;
  if (write.dryRun && !sideEffectFree.has(webhook.sideEffects))
    throw refuse.badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
  const review = reviewOf(write, seen);
  const target = targetOf(webhook, related);
  const make = (): Answer | Promise<Answer> => {
    if ('fault' in target) return { fault: `Post ${JSON.stringify(target.url)}: ${target.fault}` };
    return client === undefined ? { fault: 'nobody calls webhooks' } : client(target, review.body);
  };
  return {
    hook,
    call: { key: [mutating, round, id, review.key].join('\n'), uid: review.uid, make },
    read: (answered) => read(hook, write, answered, mutating),
  };
}

function read(
  { name, webhook }: Hook,
  write: AdmittedWrite,
  { answer, uid }: Answered,
  mutating: boolean,
): Verdict | undefined {
  const verdict =
    'fault' in answer ? `failed to call webhook: ${answer.fault}` : verdictOf(answer.body, uid, mutating);
  if (typeof verdict === 'string') {
    if (webhook.failurePolicy === 'Ignore') return undefined;
    throw internalError(`failed calling webhook ${JSON.stringify(name)}: ${verdict}`);
  }
  for (const text of verdict.warnings) write.warn?.(text);
  if (!verdict.allowed) throw denied(name, verdict.status);
  return verdict;
}

function denied(name: string, given: Verdict['status']): ApiError {
  const by = `admission webhook ${JSON.stringify(name)} denied the request`;
  const said = [given['message'], given['reason']].find((each) => typeof each === 'string' && each !== '');
  const code = typeof given['code'] === 'number' && given['code'] >= 400 ? given['code'] : 400;
  const { status } = refuse.badRequest('');
  return new ApiError({
    ...status,
    code,
    reason: typeof given['reason'] === 'string' ? given['reason'] : '',
    message: typeof said === 'string' ? `${by}: ${said}` : `${by} without explanation`,
    ...(given['details'] === undefined ? {} : { details: given['details'] as ApiError['status']['details'] }),
  });
}
