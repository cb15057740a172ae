import { describe, expect, it } from 'vitest';
import { errorText } from '../../../runtime/check/errors.ts';

describe('texts of errors', () => {
  it.each([
    ['ECONNREFUSED', 'connection refused'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'no secure connection (DEPTH_ZERO_SELF_SIGNED_CERT)'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'no secure connection (ERR_TLS_CERT_ALTNAME_INVALID)'],
    ['HPE_INVALID_CONSTANT', 'the response is not HTTP'],
    ['EMFILE', 'the request failed (EMFILE)'],
    ['constructor', 'the request failed'],
    ['\u001b[31m', 'the request failed'],
    [undefined, 'the request failed'],
  ])('%s', (code, words) => {
    expect(errorText(Object.assign(new Error('secret'), { code }))).toBe(words);
  });
});
