import { withoutStop } from './capacity.ts';
import type { RefusedPod } from './rollout-context.ts';

/** The message for a refused write of a pod: what failed, why, and what to do. */
export function refusedText({ reason, message, part, pod = 'a pod' }: RefusedPod): string {
  const what = part === undefined ? pod : `a ${part}`;
  const serverMessage = withoutStop(message);
  const again = 'It is retried every 30s';
  switch (reason) {
    case 'NoCapacity':
      return serverMessage;
    case 'FailedCreate':
      return `${what} cannot be created: ${serverMessage}. Change the template or what refuses it. ${again}`;
    case 'FailedUpdate':
      return `${what} cannot be updated: ${serverMessage}. Grant the right or change what refuses it. ${again}`;
    case 'FailedDelete':
      return `${what} cannot be deleted: ${serverMessage}. Grant the right or change what refuses it. ${again}`;
  }
}

/** The pod of another owner that such a text names; undefined: it names none. */
export function podIn(text: string): string | undefined {
  return /^[a-z\d.-]{1,63}\/[a-z\d.-]{1,253}(?= cannot be )/.exec(text)?.[0];
}

/** In place of the message of the server: no text of a server has it. */
const MESSAGE = '\u0000';

/**
 * The message of the server in what `refusedText` made of such a refusal, without the stop at its end. Undefined: it made another
 * text.
 */
export function serverMessageIn(text: string, refused: Omit<RefusedPod, 'message'>): string | undefined {
  const [start = '', end = ''] = refusedText({ ...refused, message: MESSAGE }).split(MESSAGE);
  const isMade = text.startsWith(start) && text.endsWith(end) && text.length > start.length + end.length;
  return isMade ? text.slice(start.length, text.length - end.length) : undefined;
}
