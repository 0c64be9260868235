/* SPDX-License-Identifier: MIT */
#ifdef RL_WITH_TLS

# include "transport/rl_tls_error.h"

# include <arpa/inet.h>
# include <openssl/err.h>
# include <openssl/ssl.h>
# include <openssl/x509v3.h>
# include <stdio.h>
# include <string.h>

/* ---- the server's certificate ---- */

static void explain_certificate(const rl_tls_failure *failure, rl_error *err)
{
	bool has_own_trust = failure->options->values[RL_TLS_CAFILE] != NULL ||
		failure->options->values[RL_TLS_CAPATH] != NULL;
	rl_error_set(err, RL_ERR_TLS, 0, "TLS: the certificate of the server is not accepted: %s",
		X509_verify_cert_error_string(failure->verify_result));
	switch (failure->verify_result) {
		case X509_V_ERR_HOSTNAME_MISMATCH:
		case X509_V_ERR_IP_ADDRESS_MISMATCH:
			rl_error_append(err,
				": it is for %s, not for \"%s\"; if it is the right server, give "
				"the name by the option ssl[peer_name]",
				failure->names, failure->name);
			break;
		case X509_V_ERR_CERT_HAS_EXPIRED:
		case X509_V_ERR_CERT_NOT_YET_VALID:
			rl_error_append(err, "; check the certificate and the clock of this machine");
			break;
		case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
		case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
		case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
		case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
		case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
			rl_error_append(err,
				has_own_trust ? "; is the certificate of its CA in ssl[cafile] or ssl[capath]?"
							  : "; give the certificate of its CA by the option ssl[cafile]");
			break;
		default:
			break;
	}
}

/* "DNS:a" and "IP Address:b" of the certificate, or its common name. */
static bool add_name(char names[RL_TLS_NAMES_TEXT], const char *text, size_t len)
{
	char shown[RL_BYTES_TEXT];
	size_t used = strlen(names);
	rl_bytes_text(rl_bytes_of(text, len), shown);
	if (used + strlen(shown) + 8 > RL_TLS_NAMES_TEXT) {
		snprintf(names + used, RL_TLS_NAMES_TEXT - used, ", ...");
		return false;
	}
	snprintf(names + used, RL_TLS_NAMES_TEXT - used, used > 0 ? ", %s" : "%s", shown);
	return true;
}

static bool add_general_name(char names[RL_TLS_NAMES_TEXT], const GENERAL_NAME *name)
{
	if (name->type == GEN_DNS) {
		const ASN1_IA5STRING *text = name->d.dNSName;
		return add_name(
			names, (const char *) ASN1_STRING_get0_data(text), (size_t) ASN1_STRING_length(text));
	}
	if (name->type == GEN_IPADD) {
		const ASN1_OCTET_STRING *bytes = name->d.iPAddress;
		char text[INET6_ADDRSTRLEN] = "";
		inet_ntop(ASN1_STRING_length(bytes) == 4 ? AF_INET : AF_INET6, ASN1_STRING_get0_data(bytes),
			text, sizeof text);
		return add_name(names, text, strlen(text));
	}
	return true;
}

void rl_tls_names_of(X509 *certificate, char names[RL_TLS_NAMES_TEXT])
{
	names[0] = '\0';
	GENERAL_NAMES *found = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
	for (int i = 0; i < sk_GENERAL_NAME_num(found); i++) {
		if (!add_general_name(names, sk_GENERAL_NAME_value(found, i))) {
			break;
		}
	}
	GENERAL_NAMES_free(found);
	if (names[0] == '\0') {
		char common[128] = "";
		X509_NAME_get_text_by_NID(
			X509_get_subject_name(certificate), NID_commonName, common, sizeof common);
		add_name(names, common, strlen(common));
	}
	if (names[0] == '\0') {
		snprintf(names, RL_TLS_NAMES_TEXT, "no name");
	}
}

/* ---- alerts of the server ---- */

/* The option that an alert is about. An alert that is not here may pass. */
static const char *alert_hint(int alert)
{
	switch (alert) {
		case SSL_AD_BAD_CERTIFICATE:
		case SSL_AD_UNSUPPORTED_CERTIFICATE:
		case SSL_AD_CERTIFICATE_REVOKED:
		case SSL_AD_CERTIFICATE_EXPIRED:
		case SSL_AD_CERTIFICATE_UNKNOWN:
		case SSL_AD_UNKNOWN_CA:
		case SSL_AD_ACCESS_DENIED:
		case SSL_AD_DECRYPT_ERROR:
			return "the server refuses the client certificate; check the option ssl[local_cert]";
		case TLS13_AD_CERTIFICATE_REQUIRED:
			return "the server wants a client certificate; give it by the options "
				   "ssl[local_cert] and ssl[local_pk]";
		case SSL_AD_HANDSHAKE_FAILURE:
			return "the server may want a client certificate (ssl[local_cert]), or other ciphers "
				   "(ssl[ciphers])";
		case SSL_AD_PROTOCOL_VERSION:
		case SSL_AD_INSUFFICIENT_SECURITY:
			return "the server speaks no version that is allowed; check the option "
				   "ssl[min_version]";
		case SSL_AD_UNRECOGNIZED_NAME:
			return "the server does not know the name that was sent; check the option "
				   "ssl[peer_name]";
		default:
			return NULL;
	}
}

/* OpenSSL 3.0 has no name for the alert that TLS 1.3 has added. */
static const char *alert_name(int alert)
{
	return alert == TLS13_AD_CERTIFICATE_REQUIRED ? "certificate required"
												  : SSL_alert_desc_string_long(alert);
}

static void explain_alert(int alert, rl_error *err)
{
	const char *hint = alert_hint(alert);
	rl_error_set(err, hint != NULL ? RL_ERR_TLS : RL_ERR_CONNECT, 0,
		"TLS: the server has ended the handshake with the alert \"%s\"", alert_name(alert));
	if (hint != NULL) {
		rl_error_append(err, ": %s", hint);
	}
}

/* ---- our side ---- */

static void explain_reason(unsigned long code, rl_error *err)
{
	const char *text = ERR_reason_error_string(code);
	const char *hint = "";
	rl_status status = RL_ERR_TLS;
	switch (ERR_GET_REASON(code)) {
		case SSL_R_WRONG_VERSION_NUMBER:
		case SSL_R_PACKET_LENGTH_TOO_LONG:
			hint = "; the answer is not TLS: is this a port without TLS (redis://)?";
			break;
		case SSL_R_UNSUPPORTED_PROTOCOL:
		case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
			hint = "; the server speaks no version that is allowed: check the option "
				   "ssl[min_version]";
			break;
		case ERR_R_MALLOC_FAILURE:
			status = RL_ERR_MEMORY;
			break;
		default:
			break;
	}
	rl_error_set(err, status, 0, "TLS: the handshake failed: %s%s",
		text != NULL ? text : "no reason is known", hint);
}

void rl_tls_explain(const rl_tls_failure *failure, rl_error *err)
{
	int reason = ERR_GET_REASON(failure->reason);
	bool is_ssl = ERR_GET_LIB(failure->reason) == ERR_LIB_SSL;
	if (is_ssl && reason == SSL_R_CERTIFICATE_VERIFY_FAILED) {
		explain_certificate(failure, err);
	} else if (is_ssl && reason > SSL_AD_REASON_OFFSET && reason < SSL_AD_REASON_OFFSET + 256) {
		explain_alert(reason - SSL_AD_REASON_OFFSET, err);
	} else {
		explain_reason(failure->reason, err);
	}
}

#else
typedef int rl_tls_error_is_left_out;
#endif
