/* A PJRT plugin without a device. It loads, but creates no client. Its error lists the
   options. */
#include <stdio.h>
#include <string.h>
#include "pjrt_c_api.h"

static char failure[500];

static void destroy(PJRT_Error_Destroy_Args* args) {}

static void message(PJRT_Error_Message_Args* args) {
  args->message = failure;
  args->message_size = strlen(failure);
}

static PJRT_Error* code(PJRT_Error_GetCode_Args* args) {
  args->code = PJRT_Error_Code_UNAVAILABLE;
  return NULL;
}

static PJRT_Error* initialize(PJRT_Plugin_Initialize_Args* args) { return NULL; }

static PJRT_Error* attributes(PJRT_Plugin_Attributes_Args* args) {
  args->attributes = NULL;
  args->num_attributes = 0;
  return NULL;
}

static PJRT_Error* create(PJRT_Client_Create_Args* args) {
  int at = snprintf(failure, sizeof failure, "no device for me; options:");
  for (size_t i = 0; i < args->num_options; i++)
    at += snprintf(failure + at, sizeof failure - at, " %.*s",
                   (int)args->create_options[i].name_size, args->create_options[i].name);
  return (PJRT_Error*)failure;
}

static PJRT_Api api = {
    .struct_size = PJRT_Api_STRUCT_SIZE,
    .pjrt_api_version = {.struct_size = PJRT_Api_Version_STRUCT_SIZE,
                         .major_version = 7, .minor_version = 11},
    .PJRT_Error_Destroy = destroy,
    .PJRT_Error_Message = message,
    .PJRT_Error_GetCode = code,
    .PJRT_Plugin_Initialize = initialize,
    .PJRT_Plugin_Attributes = attributes,
    .PJRT_Client_Create = create,
};

const PJRT_Api* GetPjrtApi(void) { return &api; }
