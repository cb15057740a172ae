import { ApiError, type Status } from '../../schemas/wire/cluster.ts';
import { cutForeign } from '../../semantics/values/text.ts';

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

/** The body of an API server for a path of no known group; kubectl prints the message of `notServed` for it. */
const NOT_SERVED = '404 page not found';
const notServed: Status = {
  code: 404,
  reason: 'NotFound',
  message: 'the server could not find the requested resource',
  details: {},
};

/** The longest excerpt of a body that is not a Status, characters. */
const EXCERPT = 200;

/**
 * The error of a refused request. A body that is not a Status comes from a proxy or another server: the message quotes its
 * beginning, and the reason follows from the code.
 */
export function refusalOf(code: number, body: string, retryAfter: string | undefined): ApiError {
  const seconds = secondsOf(retryAfter);
  const status = statusOf(body);
  if (status !== undefined)
    return new ApiError({ ...statusFrom(status, code), ...retryAfterOf(status, seconds) });
  if (code === 404 && body.trim() === NOT_SERVED) return new ApiError(notServed);
  const excerpt = excerptOf(body);
  return new ApiError({
    code,
    reason: reasons[code] ?? (code >= 500 ? 'InternalError' : 'Unknown'),
    message: `the server answered ${code}${excerpt === '' ? '' : `: ${excerpt}`}`,
    ...(seconds === undefined ? {} : { details: { retryAfterSeconds: seconds } }),
  });
}

/** The error of a Status; its own code takes precedence over `code`. */
export function apiErrorOf(status: Record<string, unknown>, code: number): ApiError {
  return new ApiError(statusFrom(status, code));
}

/** Whether a value is a `metav1.Status`. */
export function isStatus(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'Status';
}

/** The seconds of a Retry-After header; undefined: it is missing, or not a number. */
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
    reason: typeof reason === 'string' ? cutForeign(reason) : '',
    message: typeof message === 'string' ? cutForeign(message) : '',
    ...(token === undefined ? {} : { continue: token }),
    ...(typeof details === 'object' && details !== null ? { details } : {}),
  };
}

function tokenOf(metadata: object): string | undefined {
  const token: unknown = 'continue' in metadata ? metadata.continue : undefined;
  return typeof token === 'string' ? token : undefined;
}

/** The seconds of the header if the body has none. */
function retryAfterOf(status: Record<string, unknown>, seconds: number | undefined): Pick<Status, 'details'> {
  const details = (status['details'] ?? {}) as NonNullable<Status['details']>;
  if (seconds === undefined || details.retryAfterSeconds !== undefined) return {};
  return { details: { ...details, retryAfterSeconds: seconds } };
}

/** The text of an HTML page on one line, without control characters. */
export function excerptOf(body: string): string {
  const text = withoutTags(body.slice(0, 20 * EXCERPT))
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  return text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text;
}

/** HTML without its tags, and without what scripts and styles contain. */
function withoutTags(html: string): string {
  let text = '';
  let at = 0;
  for (let open = html.indexOf('<'); open !== -1; open = html.indexOf('<', at)) {
    const [, name] = /^<(script|style)\b/i.exec(html.slice(open, open + 8)) ?? [];
    const inner = name === undefined ? -1 : html.toLowerCase().indexOf(`</${name.toLowerCase()}`, open);
    const end = html.indexOf('>', Math.max(inner, open));
    if (end === -1) break;
    text += `${html.slice(at, open)} `;
    at = end + 1;
  }
  return text + html.slice(at);
}
