import { ApiError, type Status } from '../../schemas/wire/cluster.ts';

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** An API server says so of paths that none of its groups has; its clients know it in other words. */
const NOT_SERVED = '404 page not found';
const notServed: Status = {
  code: 404,
  reason: 'NotFound',
  message: 'the server could not find the requested resource',
  details: {},
};

/** Of a body that is no Status, so much is told. */
const SHOWN = 200;

/**
 * What the server refused with. A body that is no Status comes from something in between (a proxy, another server):
 * its beginning is told, and the reason is what the code stands for.
 */
export function refusalOf(code: number, body: string, retryAfter: string | undefined): ApiError {
  const seconds = secondsOf(retryAfter);
  const status = statusOf(body);
  if (status !== undefined) return new ApiError({ ...statusFrom(status, code), ...asked(status, seconds) });
  if (code === 404 && body.trim() === NOT_SERVED) return new ApiError(notServed);
  const excerpt = excerptOf(body);
  return new ApiError({
    code,
    reason: reasons[code] ?? (code >= 500 ? 'InternalError' : 'Unknown'),
    message: `the server answered ${code}${excerpt === '' ? '' : `: ${excerpt}`}`,
    ...(seconds === undefined ? {} : { details: { retryAfterSeconds: seconds } }),
  });
}

/** A Status that came as a value; its own code counts where it says one. */
export function apiErrorOf(status: Record<string, unknown>, code: number): ApiError {
  return new ApiError(statusFrom(status, code));
}

/** Whether a value is a `metav1.Status`. */
export function isStatus(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'Status';
}

/** Seconds of a Retry-After header; undefined when there is none that can be read. */
export function secondsOf(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,9}$/.test(header.trim()) ? Number(header) : undefined;
}

function statusOf(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isStatus(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function statusFrom(value: Record<string, unknown>, code: number): Status {
  const { message, reason, details, metadata } = value;
  const token = typeof metadata === 'object' && metadata !== null ? tokenOf(metadata) : undefined;
  return {
    code: typeof value['code'] === 'number' ? value['code'] : code,
    reason: typeof reason === 'string' ? reason : '',
    message: typeof message === 'string' ? message : '',
    ...(token === undefined ? {} : { continue: token }),
    ...(typeof details === 'object' && details !== null ? { details } : {}),
  };
}

function tokenOf(metadata: object): string | undefined {
  const token: unknown = 'continue' in metadata ? metadata.continue : undefined;
  return typeof token === 'string' ? token : undefined;
}

/** The header's seconds where the body does not say any. */
function asked(status: Record<string, unknown>, seconds: number | undefined): Pick<Status, 'details'> {
  const details = (status['details'] ?? {}) as NonNullable<Status['details']>;
  if (seconds === undefined || details.retryAfterSeconds !== undefined) return {};
  return { details: { ...details, retryAfterSeconds: seconds } };
}

/** The words of a page, on one line and without what could move a cursor. */
export function excerptOf(body: string): string {
  const words = body
    .slice(0, 20 * SHOWN)
    .replace(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  return words.length > SHOWN ? `${words.slice(0, SHOWN)}…` : words;
}
