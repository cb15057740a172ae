const texts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ETIMEDOUT: 'the connection took too long',
  ENOTFOUND: 'the name does not resolve',
  ENODATA: 'the name does not resolve',
  EPROTO: 'no secure connection',
  EAI_AGAIN: 'the name cannot be resolved now',
};

/** Why a connection failed, from the code of the error: its message may contain bytes that the other side sent. */
export function errorText(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code !== 'string' || !/^[A-Z][A-Z0-9_]{0,63}$/.test(code)) return 'the request failed';
  const known = texts[code];
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return 'the response is not HTTP';
  if (/CERT|SSL|TLS|ISSUER|SIGNATURE/.test(code)) return `no secure connection (${code})`;
  return `the request failed (${code})`;
}
