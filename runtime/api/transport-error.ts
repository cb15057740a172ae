export type TransportFailure =
  | 'refused'
  | 'reset'
  | 'timeout'
  | 'tls'
  | 'dns'
  | 'garbled'
  | 'oversized'
  | 'closed';

/** No valid response from the server. A refusal by the server is an ApiError. */
export class TransportError extends Error {
  readonly kind: TransportFailure;
  /** A write whose request may have arrived: it is unknown whether the server executed it. */
  readonly outcomeUnknown: boolean;
  /** Node's code of the failure, such as `CERT_HAS_EXPIRED`; '': it has none. */
  readonly code: string;
  constructor(
    kind: TransportFailure,
    message: string,
    more: { outcomeUnknown?: boolean; code?: string } = {},
  ) {
    super(message);
    this.name = 'TransportError';
    this.kind = kind;
    this.outcomeUnknown = more.outcomeUnknown ?? false;
    this.code = more.code ?? '';
  }
}

const kinds: Readonly<Record<string, TransportFailure>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  ERR_STREAM_PREMATURE_CLOSE: 'reset',
  ETIMEDOUT: 'timeout',
  EHOSTUNREACH: 'timeout',
  ENETUNREACH: 'timeout',
  EHOSTDOWN: 'timeout',
  EADDRNOTAVAIL: 'timeout',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  ENODATA: 'dns',
  EPROTO: 'tls',
};

/** Classifies an error of a socket, of TLS or of Node's HTTP parser. */
export function transportError(error: unknown, host: string, outcomeUnknown: boolean): TransportError {
  const given: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  const code = typeof given === 'string' ? given : '';
  const kind = kindOf(code);
  return new TransportError(kind, messageOf(kind, host, code), { outcomeUnknown, code });
}

function kindOf(code: string): TransportFailure {
  const known = kinds[code];
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return 'garbled';
  return /CERT|SSL|TLS|ISSUER|SIGNATURE|CRL/.test(code) ? 'tls' : 'reset';
}

function messageOf(kind: TransportFailure, host: string, code: string): string {
  switch (kind) {
    case 'refused':
      return `${host} refused the connection`;
    case 'reset':
      return `${host} closed the connection before it answered`;
    case 'timeout':
      return `${host} cannot be reached`;
    case 'dns':
      return `the name of ${host} does not resolve`;
    case 'tls':
      return `no secure connection to ${host} (${code})`;
    case 'garbled':
      return `the response of ${host} is not HTTP`;
    case 'oversized':
      return `the response of ${host} is too long`;
    case 'closed':
      return 'the connection is closed';
  }
}
